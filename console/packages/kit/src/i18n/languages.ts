import { chooseLocale } from "./language";
import { useTexts } from "./texts";
import { useInstance } from "../instance";

/** The languages that can be chosen here; none where the instance's policy lets nobody choose. */
export function useLanguages() {
  const { locale } = useTexts();
  const { config, reload } = useInstance();
  const { locales, switching } = config.localization;
  return {
    locale,
    options: switching && locales.length > 1 ? locales.map(({ code, name }) => ({ id: code, name })) : [],
    choose: (code: string) => {
      chooseLocale(code);
      reload();
    },
  };
}
