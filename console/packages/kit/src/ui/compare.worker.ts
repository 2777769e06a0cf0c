import { compareTexts } from "../../libs/compareTexts";

self.onmessage = ({ data: [before, after] }: MessageEvent<[string, string]>) => self.postMessage(compareTexts(before, after));
