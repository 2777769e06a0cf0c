/** What stands in the place of marks: a bullet, a box to tick, a picture. */

import { Decoration, type EditorView, WidgetType } from "@codemirror/view";

import { isOwnPicture, loadPicture } from "@guildhall/console/ui/pictures";
import { toggleTaskAt } from "./ticking";

export interface WidgetTexts {
  /** A picture that cannot be shown, by what it is called. */
  missing: (name: string) => string;
  picture: string;
}

class Bullet extends WidgetType {
  override eq(): boolean {
    return true;
  }

  toDOM(): HTMLElement {
    const dot = document.createElement("span");
    dot.className = "cm-bullet";
    dot.textContent = "•";
    return dot;
  }
}

export const BULLET = Decoration.replace({ widget: new Bullet() });

export class CheckBox extends WidgetType {
  constructor(
    private readonly isDone: boolean,
    private readonly words: string,
    private readonly isReadOnly: boolean,
  ) {
    super();
  }

  override eq(other: CheckBox): boolean {
    return other.isDone === this.isDone && other.words === this.words && other.isReadOnly === this.isReadOnly;
  }

  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "cm-box";
    box.checked = this.isDone;
    box.disabled = this.isReadOnly;
    box.setAttribute("aria-label", this.words || "…");
    // The key for it is that of the line: a list of a hundred tasks is no hundred stops.
    box.tabIndex = -1;
    box.addEventListener("mousedown", (event) => event.preventDefault());
    box.addEventListener("click", (event) => {
      event.preventDefault();
      view.dispatch(toggleTaskAt(view.state, view.posAtDOM(box)));
    });
    return box;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Loaded once, as long as somebody looks at it now and then. */
const pictures = new Map<string, Promise<string>>();
const MAX_KEPT = 40;

function pictureAt(path: string): Promise<string> {
  const found = pictures.get(path) ?? loadPicture(path);
  pictures.delete(path);
  pictures.set(path, found);
  found.catch(() => pictures.delete(path));
  if (pictures.size > MAX_KEPT) pictures.delete(pictures.keys().next().value!);
  return found;
}

export class Picture extends WidgetType {
  constructor(
    private readonly address: URL,
    private readonly name: string,
    private readonly texts: WidgetTexts,
  ) {
    super();
  }

  override eq(other: Picture): boolean {
    return other.address.href === this.address.href && other.name === this.name;
  }

  toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement("span");
    frame.className = "cm-picture";
    // One from elsewhere would tell that server who reads this.
    if (!isOwnPicture(this.address)) frame.append(this.link());
    else
      pictureAt(this.address.pathname).then(
        (data) => frame.replaceChildren(this.image(data, view)),
        () => frame.replaceChildren(this.wordsOf(this.texts.missing(this.name || this.texts.picture))),
      );
    return frame;
  }

  private image(data: string, view: EditorView): HTMLElement {
    const image = document.createElement("img");
    image.alt = this.name || this.texts.picture;
    image.onload = () => view.requestMeasure();
    image.src = data;
    return image;
  }

  private link(): HTMLElement {
    const link = document.createElement("a");
    link.className = "cm-followed";
    link.href = this.address.href;
    link.textContent = this.name || this.address.href;
    return link;
  }

  private wordsOf(text: string): HTMLElement {
    const words = document.createElement("span");
    words.className = "cm-picture-words";
    words.textContent = text;
    return words;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
