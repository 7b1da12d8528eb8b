/** Uses a page with the mouse or with the keyboard alone, and counts what a person would do. */
import { expect, type Locator, type Page } from "@playwright/test";
import { closedCollapse, menuOf } from "./menu.ts";

export type Mode = "mouse" | "keyboard";

/** Seconds of the keystroke-level model: a key, a click with pointing, and finding the next control. */
const seconds = { key: 0.2, click: 1.1, find: 1.35 };

export interface Effort {
  clicks: number;
  /** Fields that were filled in or selected. */
  fields: number;
  keys: number;
  /** Estimate for someone who knows what to look for, but not where. */
  seconds: number;
}

export class Hands {
  readonly page: Page;
  readonly mode: Mode;
  #clicks = 0;
  #fields = 0;
  #keys = 0;
  #searches = 0;

  constructor(page: Page, mode: Mode) {
    this.page = page;
    this.mode = mode;
  }

  get effort(): Effort {
    const time = this.#keys * seconds.key + this.#clicks * seconds.click + this.#searches * seconds.find;
    return { clicks: this.#clicks, fields: this.#fields, keys: this.#keys, seconds: Math.round(time) };
  }

  /** Goes to a screen: with the mouse by its menu item, with the keyboard by typing into the palette. */
  async goTo(menu: string, typed = menu): Promise<void> {
    if (this.mode === "mouse") {
      const collapse = closedCollapse(this.page, menu);
      if ((await collapse.count()) > 0) await this.use(collapse);
      return this.use(menuOf(this.page).getByRole("link", { name: menu, exact: true }));
    }
    await this.command(typed, menu);
  }

  /** Starts an action of the palette, which the mouse opens in the header. */
  async command(typed: string, label: string | RegExp): Promise<void> {
    if (this.mode === "mouse") await this.use(this.page.getByRole("button", { name: /^Go to…/ }));
    else await this.press("Control+k");
    const box = this.page.getByRole("textbox", { name: "Go to…" });
    await box.waitFor();
    await this.#type(typed);
    const palette = this.page.getByRole("dialog").filter({ has: box });
    await palette.locator("[data-action]").filter({ hasText: label }).first().waitFor();
    this.#searches += 1;
    const lines = palette.locator("[data-action]");
    const { selected, wanted } = await lines.evaluateAll(
      (all, [text, pattern]) => ({
        selected: all.findIndex((line) => "selected" in (line as HTMLElement).dataset),
        wanted: all.findIndex((line) =>
          text === null ? new RegExp(pattern).test(line.textContent) : line.textContent.startsWith(text),
        ),
      }),
      typeof label === "string" ? ([label, ""] as const) : ([null, label.source] as const),
    );
    // Without a selected line, Enter opens the first one and ArrowDown selects it.
    const from = selected < 0 && wanted > 0 ? -1 : Math.max(0, selected);
    // What was typed has to be specific enough.
    if (wanted < 0 || Math.abs(wanted - from) > 4)
      throw new Error(`“${String(label)}” is too far from the selected line for “${typed}”`);
    for (let step = from; step !== wanted; step += Math.sign(wanted - from))
      await this.press(wanted > from ? "ArrowDown" : "ArrowUp");
    await this.press("Enter");
    await box.waitFor({ state: "hidden" });
  }

  /** Clicks a control, or reaches it with Tab and presses Enter. */
  async use(control: Locator): Promise<void> {
    await control.waitFor();
    this.#searches += 1;
    if (this.mode === "mouse") {
      this.#clicks += 1;
      await control.click();
      return;
    }
    await this.#reach(control);
    await this.press("Enter");
  }

  /** Selects one of several radio buttons that are shown side by side. */
  async choose(group: Locator, label: string): Promise<void> {
    this.#searches += 1;
    this.#fields += 1;
    if (this.mode === "mouse") {
      this.#clicks += 1;
      await group.getByText(label, { exact: true }).click();
      return;
    }
    const wanted = group.getByRole("radio", { name: label, exact: true });
    await this.#reach(group.locator("input:checked"));
    for (let step = 0; step < 10 && !(await wanted.isChecked()); step += 1) await this.press("ArrowRight");
    if (!(await wanted.isChecked())) throw new Error(`“${label}” cannot be chosen with the arrow keys`);
  }

  /** Types into a field. Text that it contains is replaced. */
  async fill(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    this.#searches += 1;
    this.#fields += 1;
    if (this.mode === "mouse") {
      if (!(await isFocused(field))) {
        this.#clicks += 1;
        await field.click();
      }
    } else await this.#reach(field);
    if ((await field.inputValue()) !== "") await this.press("Control+a");
    await this.#type(text);
  }

  /** Pastes into a field what was copied elsewhere, such as a key. */
  async paste(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    this.#searches += 1;
    this.#fields += 1;
    if (this.mode === "keyboard") await this.#reach(field);
    else if (!(await isFocused(field))) {
      this.#clicks += 1;
      await field.click();
    }
    await this.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await this.press("Control+v");
    await expect.poll(() => field.inputValue()).toBe(text);
  }

  /** Selects from a list. With a text the list is filtered; without one the keyboard opens it with an arrow. */
  async pick(field: Locator, text: string, option: Locator): Promise<void> {
    if (text === "") {
      this.#fields += 1;
      if (this.mode === "mouse") await this.use(field);
      else {
        await this.#reach(field);
        await this.press("ArrowDown");
      }
    } else await this.fill(field, text);
    await option.first().waitFor();
    if (this.mode === "mouse") {
      this.#clicks += 1;
      await option.first().click();
      return;
    }
    // The list of the typed text replaces the previous one.
    const others = this.page.getByRole("option").filter({ hasNotText: text });
    if (text !== "") await expect.poll(() => others.count()).toBe(0);
    const isSelected = () => option.first().evaluate((element) => "comboboxSelected" in element.dataset);
    for (let down = 0; down < 8 && !(await isSelected()); down += 1) await this.press("ArrowDown");
    await this.press("Enter");
  }

  async press(key: string): Promise<void> {
    this.#keys += 1;
    await this.page.keyboard.press(key);
  }

  /** Reads something. Costs the time to find it. */
  async see(text: Locator): Promise<void> {
    this.#searches += 1;
    await text.first().waitFor();
  }

  async #type(text: string): Promise<void> {
    this.#keys += text.length;
    await this.page.keyboard.type(text);
  }

  /** Presses Tab until the control has the focus. */
  async #reach(control: Locator): Promise<void> {
    await control.waitFor({ state: "attached" });
    for (let tabs = 0; tabs <= 80; tabs += 1) {
      if (await isFocused(control)) return;
      await this.press("Tab");
    }
    throw new Error(`${String(control)} cannot be reached with Tab`);
  }
}

/** A field is replaced when its list is loaded, and the new one has the focus: what counts is the element in the page. */
async function isFocused(control: Locator): Promise<boolean> {
  const isActive = await control.evaluate((element) =>
    element.isConnected ? element === document.activeElement : undefined,
  );
  return isActive ?? isFocused(control);
}
