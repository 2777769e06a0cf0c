import { useInstance } from "@guildhall/console/instance";
import styles from "./Side.module.css";

/** Whose hall this is: the logo, or the title with its initial. */
export function Brand() {
  const { branding } = useInstance();
  return (
    <div className={styles.brand} title={branding.title}>
      {branding.logo ? (
        <img src={branding.logo} alt={branding.title} className={styles.logo} />
      ) : (
        <>
          <span className={styles.initial} aria-hidden="true">
            {[...branding.title][0]?.toLocaleUpperCase()}
          </span>
          <span className={styles.title} dir="auto">
            {branding.title}
          </span>
        </>
      )}
    </div>
  );
}
