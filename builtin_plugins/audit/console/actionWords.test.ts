import { expect, it } from "vitest";

import { ownWords } from "./actionWords";

it("an action without words of its own is read as it is called", () => expect(ownWords("s3_cors.deleted")).toBe("S3 cors deleted"));
