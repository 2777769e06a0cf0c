import { describe, expect, it, vi } from "vitest";

vi.mock("./client", () => ({ authorizedFetch: vi.fn() }));
const { readEvents } = await import("./events");

function streamOf(...pieces: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(encoder.encode(piece)));
      controller.close();
    },
  });
}

async function all(...pieces: string[]) {
  const events = [];
  for await (const event of readEvents(streamOf(...pieces))) events.push(event);
  return events;
}

describe("readEvents", () => {
  it("reads events however they are cut", async () => {
    const text = ": hello\n\nid: 7\nevent: step\ndata: {\"a\":\ndata: 1}\n\ndata: é\r\n\r\ndata: unfinished";
    const whole = [
      { id: "7", event: "step", data: '{"a":\n1}' },
      { id: null, event: "message", data: "é" },
    ];
    expect(await all(text)).toEqual(whole);
    expect(await all(...text)).toEqual(whole);
  });
});
