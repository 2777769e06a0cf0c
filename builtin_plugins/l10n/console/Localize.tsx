import { Redirect, Route, Switch } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { SubNavigation } from "@guildhall/console/ui/SubNavigation";
import { CoverageScreen } from "./CoverageScreen";
import { PolicyScreen } from "./PolicyScreen";
import { ReviewScreen } from "./ReviewScreen";
import { TranslateScreen } from "./TranslateScreen";
import { REVIEW_PATH } from "./useWaitingReviews";

export default function Localize() {
  const t = useText();
  const may = useMay();
  const mayReview = may("localization:review");
  const mayDecide = may("localization:manage") || may("instance:manage");
  const tabs = [
    { path: "/localize/coverage", name: t("nav.coverage") },
    { path: "/localize/translate", name: t("nav.translate") },
    ...(mayReview ? [{ path: REVIEW_PATH, name: t("nav.review") }] : []),
    ...(mayDecide ? [{ path: "/localize/languages", name: t("nav.languages") }] : []),
  ];
  return (
    <>
      <PageHead title={t("nav.localization")} text={t("l10n.intro")} />
      <SubNavigation label={t("nav.localization")} tabs={tabs} />
      <Switch>
        <Route path="/localize/coverage" component={CoverageScreen} />
        <Route path="/localize/translate" component={TranslateScreen} />
        {mayReview && <Route path={REVIEW_PATH} component={ReviewScreen} />}
        {mayDecide && <Route path="/localize/languages" component={PolicyScreen} />}
        <Route>
          <Redirect to="/localize/coverage" replace />
        </Route>
      </Switch>
    </>
  );
}
