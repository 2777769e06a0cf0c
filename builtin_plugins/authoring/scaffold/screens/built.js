import { Button, PageHead, defineScreens, useHall } from "@guildhall/console";
import { jsx } from "react/jsx-runtime";

function Home() {
  const { caller, toast, t } = useHall();
  const hello = () => t("sample-plugin.hello", { name: caller.user.username });
  return jsx(PageHead, {
    title: t("sample-plugin.title"),
    text: t("sample-plugin.text"),
    children: jsx(Button, { onPress: () => toast(hello()), children: hello() }),
  });
}

export default defineScreens({ "sample-plugin": { component: Home } });
