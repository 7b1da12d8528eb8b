/**
 * The product's specification, one row per statement about the console that needs no browser: routes, menu, roles, texts,
 * formats, constants. Schemas have their rows in packages/shared/src/specification.test.ts, what only a browser shows in
 * apps/web/e2e/site/specification.test.ts.
 */
import { readFileSync } from "node:fs";
import { Role } from "@gateway/shared/accounts/roles";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { messageOf } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
import type { SiteStatus } from "@gateway/shared/site/status";
import { MantineProvider } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createInstance, type TFunction } from "i18next";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { translateWith } from "#lib/translate.fixture.ts";
import { MenuGroups } from "./app/menu/menu-groups.tsx";
import { scrollOfDrag, thumbOf } from "./app/menu/menu-thumb.ts";
import { itemsIn, type MenuGroup, pathTo, visibleMenu } from "./app/menu/menu.ts";
import { publicLinks } from "./app/public-links.ts";
import { screenById } from "./app/screens.ts";
import { createConsoleTheme } from "./app/theme.ts";
import { newDraft, providerFaults } from "./features/channels/editor/draft.ts";
import { settingGroups } from "./features/settings/sections/fields.ts";
import { Footer } from "./features/site/footer.tsx";
import { errorNote, errorReason } from "./lib/errors/error-text.ts";
import { formatTime, quotaText } from "./lib/format/quota.ts";
import { ApiError, asList, asPage, DataFormatError } from "./lib/http.ts";
import { languages, matchLanguage } from "./lib/i18n.ts";
import { unreachable } from "./lib/live/connection.ts";
import { messagesOf } from "./lib/locale-files.ts";
import { passwordsDiffer, passwordsMatch } from "./lib/repeated-password.ts";
import { SiteContext } from "./lib/site.ts";
import { toast } from "./ui/toast.tsx";

const english = messagesOf("en_US");
const chinese = messagesOf("zh_CN");

const source = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const root = { role: Role.root, permissions: null };
const user = { role: Role.user, permissions: null };

describe("§2 routes", () => {
  it.each(
    "dashboard channel log redemption setting token topup user profile analytics telegram pricing midjourney model_price playground payment task user_group model_ownedby".split(
      " ",
    ),
  )("/panel/%s", (id) => expect(screenById(id)?.load).toBeTypeOf("function"));

  it.each(["404"])("/panel/%s", (path) =>
    expect(source("app/console-routes.tsx")).toContain(`{ path: "${path}", element: <NotFound /> }`),
  );

  it("/panel leads to the dashboard", () => {
    expect(source("app/router.tsx")).toContain(`<OtherAddress of="/panel/dashboard" />`);
  });

  it.each([
    "about",
    "login",
    "register",
    "reset",
    "user/reset",
    "oauth/:provider",
    "404",
    "jump",
    "playground",
    "price",
  ])("/%s", (path) => expect(source("app/router.tsx")).toContain(`path: "${path}"`));

  it("the settings have the parts operation, system and other", () =>
    expect(settingGroups.filter(({ id }) => id !== "notices").map(({ id, title }) => [id, title])).toEqual([
      ["operation", "Operation"],
      ["system", "System"],
      ["other", "Other"],
    ]));

  it.each([
    [false, ["/", "/price", "/about"]],
    [true, ["/", "/playground", "/price", "/about"]],
  ])("the top bar links home, playground (signed in: %s), price and about", (signedIn, links) => {
    const shown = publicLinks(signedIn, false).map(({ to }) => to);
    expect(shown.filter((to) => to !== "/connect")).toEqual(links);
  });
});

/** Ids of the specified entries in their order. Further screens may stand between them. */
function specified(menu: MenuGroup[]): Record<string, (string | Record<string, string[]>)[]> {
  const further = new Set(["connect", "session", "usage", "statement", "audit", "model_info"]);
  return Object.fromEntries(
    menu.map(({ title, children }) => [
      title,
      children
        .filter(({ id }) => !further.has(id))
        .map((entry) =>
          entry.type === "item"
            ? entry.id
            : { [entry.id]: entry.children.map(({ id }) => id).filter((id) => !further.has(id)) },
        ),
    ]),
  );
}

describe("§2 left menu, §6 roles", () => {
  it("has four groups with two collapses for administrators", () =>
    expect(specified(visibleMenu(root))).toEqual({
      Dashboard: ["dashboard", "analytics", "playground"],
      Setting: [
        "user",
        "channel",
        { operation: ["user_group", "pricing", "telegram", "model_ownedby"] },
        { paySetting: ["redemption", "payment"] },
        "token",
        "profile",
        "setting",
      ],
      Billing: ["topup", "model_price"],
      Usage: ["log", "midjourney", "task"],
    }));

  it("shows every signed-in user the same groups without administration", () =>
    expect(specified(visibleMenu(user))).toEqual({
      Dashboard: ["dashboard", "playground"],
      Setting: ["token", "profile"],
      Billing: ["topup", "model_price"],
      Usage: ["log", "midjourney", "task"],
    }));

  it.each(
    "user channel user_group pricing telegram model_ownedby redemption payment setting analytics".split(" "),
  )("%s is for administrators", (id) => {
    const item = visibleMenu(root)
      .flatMap(itemsIn)
      .find((each) => each.id === id);
    expect(item).toMatchObject({ type: "item", url: `/panel/${id}`, isAdmin: true });
    expect(item?.title).toBeTypeOf("string");
    expect(item?.icon).toBeDefined();
  });

  it("labels model_price “Available models”", () =>
    expect(screenById("model_price")?.title).toBe("Available models"));

  it("omits a group without visible items", () =>
    expect(visibleMenu({ role: Role.guest, permissions: null })).toEqual([]));

  it("breadcrumbs name the group and the current item, at most eight", () => {
    expect(pathTo("pricing", root)).toEqual(["Setting", "Prices"]);
    expect(source("app/frame/crumbs.tsx")).toContain("const maxItems = 8;");
  });
});

describe("§8 menu errors", () => {
  /** The menu with these groups, as HTML. Texts are English, because no language is loaded. */
  const shown = (groups: unknown[], at = "/panel/dashboard") =>
    markup(<MenuGroups groups={groups as MenuGroup[]} rail={false} />, at);
  const item = visibleMenu(root).flatMap(itemsIn)[0];

  it("an entry of an unknown type shows Menu Items Error", () =>
    expect(
      shown([{ type: "group", id: "g", title: "G", children: [{ type: "odd", id: "o", title: "O" }] }]),
    ).toContain("Menu Items Error"));

  it("a wrongly typed group shows a translated error", () => {
    expect(shown([{ type: "item", id: "g", title: "G", children: [] }])).toContain("Menu Error");
    expect(chinese["Menu Error"]).toBe("菜单错误");
  });

  it("an item shows its caption and chip, and opens its target outside of the console", () => {
    const entry = { ...item, caption: "A caption", chip: "New", target: "_blank", external: true };
    const html = shown([
      {
        type: "group",
        id: "g",
        title: "G",
        caption: "Of the group",
        children: [{ ...entry, url: "https://a.example/" }],
      },
    ]);
    for (const text of ["A caption", "New", "Of the group", 'target="_blank"', 'href="https://a.example/"'])
      expect(html).toContain(text);
  });

  it("a collapse is open when the path matches one of its children", () => {
    const open = (at: string) => shown(visibleMenu(root), at).match(/aria-expanded="true"/g)?.length ?? 0;
    expect([open("/panel/dashboard"), open("/panel/pricing"), open("/panel/payment")]).toEqual([0, 1, 1]);
  });
});

function markup(children: ReactNode, at: string): string {
  return renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider>
        <MemoryRouter initialEntries={[at]}>{children}</MemoryRouter>
      </MantineProvider>
    </QueryClientProvider>,
  );
}

describe("§1 footer", () => {
  const footer = (site: object) =>
    markup(
      <SiteContext value={site as SiteStatus}>
        <Footer />
      </SiteContext>,
      "/",
    );
  it("names the system, its developers, the open-source project and the license", () => {
    const html = footer({ system_name: "Acme", footer_html: "" });
    for (const text of ["Acme", "Developed by", "Open source", "MIT license"]) expect(html).toContain(text);
  });

  it("is the operator's own, if there is one", () =>
    expect(footer({ system_name: "Acme", footer_html: "<b>Ours</b>" })).not.toContain("Open source"));
});

describe("§1 languages", () => {
  it("offers four", () =>
    expect(languages.map(({ id, name }) => [id, name])).toEqual([
      ["zh_CN", "简体中文"],
      ["zh_HK", "繁體中文"],
      ["en_US", "English"],
      ["ja_JP", "日本語"],
    ]));
  it("knows no other, so the fallback applies", () => {
    expect(matchLanguage("de-DE")).toBeNull();
    expect(source("lib/i18n.ts")).toContain('const fallback: Language = "zh_CN";');
  });
});

describe("§8 texts", () => {
  const texts = Object.keys(english);
  it.each([
    "Invalid JSON",
    "Must be a valid JSON string",
    "Failed to get model list",
    "Priority cannot be less than 0",
    "Weight cannot be less than 1",
    "Passwords do not match",
    "Amount cannot exceed 1000000",
    "Cannot deduct an amount exceeding the user's balance",
    "Channel type error",
    "Model names cannot be repeated",
    "The type can only be tokens or times",
    "Batch deletion failed with {{message}}",
    "Turnstile is checking the user environment, try again in a few seconds.",
    "Unable to connect to the server properly! Check your connection and try again.",
    "A new version is available. Refresh with Shift+F5.",
    "Server error",
    "Unknown error",
    "Invalid link",
    "Failed to load about content",
    "Failed to load home content",
    "Delete failed",
    "Priority update failed",
    "Weight update failed",
    "The top-up link is not set by the admin.",
    "Data format incorrect. Reload the page and try again.",
    "Fetch data first, then choose what to import.",
    "No new models",
    "Menu Items Error",
  ])("%s", (text) => {
    expect(texts).toContain(text);
    expect(english[text]).toBe(text);
  });

  it("the heading of an unknown route is the same in every language", () =>
    expect(source("features/site/not-found-page.tsx")).toContain(
      'const UNKNOWN = "Unexpected Application Error!";',
    ));

  it.each([
    ["{{label}} could not be copied. Copy it manually.", "复制{{label}}失败，请手动复制"],
    ["{{label}} copied", "复制{{label}}成功！"],
    ["Error: {{message}}", "错误：{{message}}"],
    ["Notice", "公告"],
  ] as const)("%s in zh_CN", (key, text) => expect(chinese[key]).toBe(text));

  it.each([
    "Too many requests. Try again later.",
    "Too many requests from this address. Try again later.",
    "Too many requests from this session. Try again later.",
    "Too many requests from your account. Try again later.",
    "Too many requests are reading the log at the same time. Try again later.",
  ] as const)("%s begins with the text of 429 in zh_CN", (key) =>
    expect(chinese[key]).toMatch(/^请求次数过多，请稍后再试！/),
  );
});

describe("§8 a failed request in zh_CN", () => {
  let t: TFunction;
  beforeAll(async () => {
    const i18n = createInstance();
    t = await i18n.init({
      lng: "zh_CN",
      resources: { zh_CN: { translation: chinese } },
      keySeparator: false,
      nsSeparator: false,
      interpolation: { escapeValue: false },
    });
  });

  const answers: [string, unknown, { level: string; text: string }][] = [
    ["429", new ApiError(429, {}), { level: "error", text: "错误：请求次数过多，请稍后再试！" }],
    ["500", new ApiError(500, {}), { level: "error", text: "错误：服务器内部错误，请联系管理员！" }],
    ["405", new ApiError(405, {}), { level: "info", text: "本站仅作演示之用，无服务端！" }],
    ["other", new ApiError(418, { message: "茶壶" }), { level: "error", text: "错误：茶壶" }],
    [
      "the server's message replaces the default",
      new ApiError(429, { message: "慢" }),
      { level: "error", text: "错误：慢" },
    ],
    ["not a request", new Error("坏了"), { level: "error", text: "错误：坏了" }],
    [
      "no connection",
      new TypeError("Failed to fetch"),
      { level: "error", text: "无法正常连接至服务器！请检查网络连接后重试。" },
    ],
    [
      "another shape",
      new DataFormatError("no rows"),
      { level: "error", text: "错误：数据格式不正确。请重新加载页面后重试。" },
    ],
  ];
  it.each(answers)("%s", (_, error, note) => expect(errorNote(error, t)).toEqual(note));

  it("the status that could not be loaded is always the lost connection", () =>
    expect(errorNote(new ApiError(502, {}), t, unreachable)).toEqual({
      level: "error",
      text: "无法正常连接至服务器！请检查网络连接后重试。",
    }));

  it.each([null, {}, "text", { data: "no list" }])("a list without rows (%j) is refused", (answer) => {
    expect(() => asPage<{ data: unknown[] }>().parse(answer)).toThrow(DataFormatError);
    expect(() => asList<unknown[]>().parse(answer)).toThrow(DataFormatError);
    expect(errorReason(new DataFormatError(""), t)).toBe("数据格式不正确。请重新加载页面后重试。");
  });
});

it("§5 passwords must match", () => {
  const both = z.object({ password: z.string(), repeat: z.string() }).refine(passwordsMatch, passwordsDiffer);
  const [issue] = both.safeParse({ password: "long enough", repeat: "long enouch" }).error?.issues ?? [];
  expect(issue?.path).toEqual(["repeat"]);
  expect(messageOf("invalid_request", { ...issueOf(issue!, {}) })).toBe("Passwords do not match");
});

describe("§5 channel", () => {
  const t = translateWith((text: string) => text);
  const provider = {
    needs_base_url: true,
    needs_key: true,
    endpoints: [],
    extra: [],
  } as unknown as ProviderInfo;
  it("API address and key are required", () =>
    expect(providerFaults(t, newDraft(undefined, []), provider, false)).toMatchObject({
      base_url: "API address is required",
      key: "API key is required",
    }));
  it("an unknown type is an error", () =>
    expect(providerFaults(t, newDraft(undefined, []), undefined, false)).toEqual({
      type: "Channel type error",
    }));
});

describe("§9 constants and formats", () => {
  it("timestamps are YYYY-MM-DD HH:mm:ss", () =>
    expect(formatTime(1_700_000_000)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/));

  it("sums have two decimals", () =>
    expect(
      [0, 617_000, -250_000].map((points) => quotaText(points, { inCurrency: true, pointsPerUsd: 500_000 })),
    ).toEqual(["$0.00", "$1.23", "−$0.50"]));

  const { breakpoints, radius } = createConsoleTheme("");
  it.each([
    ["xs", 0],
    ["sm", 600],
    ["md", 960],
    ["lg", 1280],
    ["xl", 1920],
  ] as const)("breakpoint %s is %d px", (name, pixels) =>
    expect(breakpoints?.[name]).toBe(`${pixels / 16}em`),
  );
  it("the border radius is 12", () => expect(radius?.["lg"]).toBe("12px"));

  it("the thumb of the menu is 40 to 100 px long", () => {
    expect(thumbOf({ shown: 900, whole: 1000, at: 0 })?.length).toBe(100);
    expect(thumbOf({ shown: 100, whole: 9000, at: 0 })?.length).toBe(40);
    expect(scrollOfDrag(0, { shown: 100, whole: 9000, at: 0 })).toBe(0);
    expect(source("app/menu/menu-scroll.tsx")).toContain("const UPDATE_DELAY_MS = 300;");
  });

  it.each([
    ["error", 5_000],
    ["warning", 10_000],
    ["success", 1_500],
    ["info", 3_000],
    ["notice", 20_000],
  ] as const)("a toast of the kind %s stays %d ms", async (kind, ms) => {
    const show = vi.spyOn(notifications, "show").mockReturnValue("");
    toast[kind]("Text");
    await vi.waitFor(() => expect(show).toHaveBeenCalled());
    expect(show.mock.lastCall?.[0]).toMatchObject({ autoClose: ms, id: `${kind}:Text` });
    show.mockRestore();
  });

  it("a text that could not be copied stays until it is closed", async () => {
    const show = vi.spyOn(notifications, "show").mockReturnValue("");
    toast.keep("Text");
    await vi.waitFor(() => expect(show).toHaveBeenCalled());
    expect(show.mock.lastCall?.[0]).toMatchObject({ autoClose: false });
    show.mockRestore();
  });

  it.each(["limit={3}", "autoClose={5_000}", 'position={phone ? "bottom-center" : "top-right"}'])(
    "toasts: %s",
    (text) => expect(source("ui/toasts.tsx")).toContain(text),
  );
  it("a phone is at most 600 px wide", () =>
    expect(source("ui/use-is-phone.ts")).toContain(`(max-width: ${600 / 16}em)`));
});
