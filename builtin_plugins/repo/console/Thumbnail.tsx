import { FileIcon } from "./FileIcon";
import styles from "./FileGrid.module.css";
import type { StoredObject } from "./objects";
import { useThumbnail } from "./thumbnails";

/** A small picture of a file; where there is none, the icon of its kind. Its name stands beside it. */
export function Thumbnail({ object, size = 256, isWanted = true }: { object: StoredObject; size?: 256 | 1024; isWanted?: boolean }) {
  const { data } = useThumbnail(object, size, isWanted);
  return data ? <img src={data} alt="" className={styles.thumbnail} draggable={false} /> : <FileIcon object={object} size={40} />;
}
