/** Pictures in texts: files of this server, which only the bearer opens. */

import { authorizedFetch } from "../api/client";
import { problemOf } from "../api/problem";

const OWN = /^\/api\/repo-obj\/[\w-]+\/content$/;
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

export const isOwnPicture = (address: URL) => address.origin === location.origin && OWN.test(address.pathname);

/** As a `data:` address, what the page's policy lets an image come from; no larger than a screen shows it. */
export async function loadPicture(path: string): Promise<string> {
  const small = await authorizedFetch(new Request(path.replace(/content$/, "thumbnail?size=1024")));
  const response = small.ok ? small : await authorizedFetch(new Request(path));
  if (!response.ok) throw await problemOf(response);
  const picture = await response.blob();
  if (!SHOWN.has(picture.type)) throw new TypeError("no picture that can be shown");
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(picture);
  });
}
