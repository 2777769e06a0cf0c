import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import styles from "./BrandingEditor.module.css";
import { LOGO_TYPES, logoUpload, MAX_LOGO_BYTES, type LogoUpload } from "./logo";

interface LogoFieldProps {
  logo: string | null;
  onUpload: (logo: LogoUpload) => Promise<unknown>;
  onRemove: () => Promise<unknown>;
}

/** The mark; choosing a picture uploads it at once. */
export function LogoField({ logo, onUpload, onRemove }: LogoFieldProps) {
  const t = useText();
  const id = useId();
  const announce = useAnnounce();
  const [isTooLarge, setTooLarge] = useState(false);
  const upload = useMutation({ mutationFn: async (file: File) => onUpload(await logoUpload(file)), onSuccess: () => announce(t("state.saved")) });
  const remove = useMutation({ mutationFn: onRemove, onSuccess: () => announce(t("state.saved")) });
  function take(file: File | undefined) {
    if (!file) return;
    setTooLarge(file.size > MAX_LOGO_BYTES);
    if (file.size <= MAX_LOGO_BYTES) upload.mutate(file);
  }
  const problem = upload.error ?? remove.error;
  return (
    <div className={styles.logoField}>
      <label htmlFor={id} className={styles.label}>
        {t("branding.logo")}
      </label>
      <div className={styles.actions}>
        {logo && <img src={logo} alt="" className={styles.logo} />}
        <input
          id={id}
          type="file"
          className={styles.file}
          accept={LOGO_TYPES.join(",")}
          disabled={upload.isPending}
          aria-describedby={`${id}-help`}
          onChange={(event) => {
            take(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
        {logo && (
          <Button kind="quiet" isPending={remove.isPending} onPress={() => remove.mutate()}>
            {t("branding.logo_remove")}
          </Button>
        )}
      </div>
      <span id={`${id}-help`} className={styles.verdict} data-bad={isTooLarge ? "" : undefined}>
        {isTooLarge ? t("error.too_large") : null} {t("branding.logo_help")}
      </span>
      {problem !== null && <ProblemNotice problem={problem} />}
    </div>
  );
}
