import { renderMarkdown } from "./renderMarkdown";

self.onmessage = ({ data }: MessageEvent<string>) => self.postMessage(renderMarkdown(data));
