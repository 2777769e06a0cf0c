import { Button, defineScreens, PageHead, useHall } from "@guildhall/console";

function Home() {
  const { caller, toast, t } = useHall();
  return (
    <PageHead title={t("sample-plugin.title")} text={t("sample-plugin.text")}>
      <Button onPress={() => toast(t("sample-plugin.hello", { name: caller.user.username }))}>
        {t("sample-plugin.hello", { name: caller.user.username })}
      </Button>
    </PageHead>
  );
}

export default defineScreens({ "sample-plugin": { component: Home } });
