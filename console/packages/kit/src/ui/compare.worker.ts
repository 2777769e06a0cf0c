import { compareTexts } from "./compareTexts";

self.onmessage = ({ data: [before, after] }: MessageEvent<[string, string]>) => self.postMessage(compareTexts(before, after));
