import { useText } from "../i18n/texts";
import { usePermissionWords } from "../people/permissions";
import { useIdentity } from "../session/identity";
import { Checkbox } from "./Checkbox";
import styles from "./Team.module.css";

/** Which of one's own permissions something may use; null is all of them, whatever they come to be. */
export function PermissionChoice({ value, onChange }: { value: string[] | null; onChange: (value: string[] | null) => void }) {
  const t = useText();
  const words = usePermissionWords();
  const { permissions } = useIdentity();
  const toggle = (permission: string, isOn: boolean) =>
    onChange(isOn ? [...(value ?? []), permission] : (value ?? []).filter((one) => one !== permission));
  return (
    <>
      <Checkbox isSelected={value === null} onChange={(all) => onChange(all ? null : [])}>
        {t("tokens.scope_all")}
      </Checkbox>
      {value !== null && (
        <fieldset className={styles.choices}>
          <legend>{t("tokens.scope")}</legend>
          {permissions.map((permission) => (
            <Checkbox key={permission} isSelected={value.includes(permission)} onChange={(isOn) => toggle(permission, isOn)}>
              {words(permission)}
            </Checkbox>
          ))}
        </fieldset>
      )}
    </>
  );
}
