// The console's page of keys as a stranger would ship it: its own module, built against the kit.
import { defineScreens, PageHead, useHall, useScreens } from "@guildhall/console";
import { createElement as h } from "react";

const classes = CLASSES;
const command = /Mac/.test(navigator.platform) ? "⌘" : "Ctrl";
const everywhere = [
  ["keys.palette", [command, "K"]],
  ["keys.help", ["?"]],
  ["console.key_create", ["c"]],
  ["console.key_edit", ["e"]],
  ["console.key_search", ["/"]],
  ["keys.undo", [command, "Z"]],
];
const inLists = [
  ["keys.move", ["j", "k"]],
  ["keys.open", ["Enter"]],
  ["keys.select", ["x"]],
  ["keys.leave", ["Esc"]],
];

function Keys() {
  const { t } = useHall();
  const { shown } = useScreens();
  const named = (keys) => keys.map(([name, each]) => [t(name), each]);
  const within = (path, root) => path !== root && path.startsWith(root === "/" ? "//" : `${root}/`);
  const places = shown
    .filter(({ path, letter }) => letter && !shown.some((one) => within(path, one.path)))
    .map(({ title, letter }) => [title, ["g", letter]]);
  const own = [
    h(List, { key: 1, heading: t("console.keys_everywhere"), keys: named(everywhere) }),
    h(List, { key: 2, heading: t("console.keys_lists"), keys: named(inLists) }),
  ];
  const list = h(List, { key: 2, heading: t("console.keys_places"), keys: places });
  return [
    h(PageHead, { key: 1, title: t("keys.title") }),
    h("div", { key: 2, className: classes.columns }, [h("div", { key: 1 }, own), list]),
  ];
}

function List({ heading, keys }) {
  const lines = keys.map(([name, each]) =>
    h("div", { key: name, className: classes.line }, [
      h("dt", { key: 1 }, name),
      h("dd", { key: 2 }, each.map((key) => h("kbd", { key }, key))),
    ]),
  );
  return h("section", { className: classes.list }, [
    h("h3", { key: 1, className: classes.heading }, heading),
    h("dl", { key: 2, className: classes.keys }, lines),
  ]);
}

export default defineScreens({ keys: { component: Keys } });
