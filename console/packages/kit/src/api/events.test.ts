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

  it("takes an answer that falls silent for a broken one, and not one that only has nothing to tell", async () => {
    vi.useFakeTimers();
    const encoder = new TextEncoder();
    let say: (text: string) => void = () => undefined;
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => {
        say = (text) => controller.enqueue(encoder.encode(text));
      },
    });
    const outcome = readEvents(silent).next().catch((cause: unknown) => cause);
    for (let pauses = 0; pauses < 4; pauses += 1) {
      say(":\n\n");
      await vi.advanceTimersByTimeAsync(30_000);
    }
    say("data: 1\n\n");
    expect(await outcome).toEqual({ done: false, value: { id: null, event: "message", data: "1" } });

    const never = readEvents(new ReadableStream()).next().catch((cause: unknown) => cause);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await never).toBeInstanceOf(TypeError);
    vi.useRealTimers();
  });
});
