/** What index.html has shown before anything was here: taken before React draws in its place. */
const shape = document.querySelector(".first-look")?.outerHTML ?? "";

/** Stands for as long as what a page needs is on its way. */
export function FirstLook() {
  return <div dangerouslySetInnerHTML={{ __html: shape }} />;
}
