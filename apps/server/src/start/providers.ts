import { mailAccount } from "#domain/settings/mail-account.ts";
import { createSettings, type SettingsStore } from "#domain/settings/settings.ts";
import type { Database } from "#platform/database/db.ts";
import { createUpstreamClient, type UpstreamClient } from "#platform/http/http.ts";
import { createMailer, type Mailer } from "#platform/mail.ts";
import type { Secrets } from "#platform/secrets.ts";
import { openProviders, type Providers } from "#providers/registry.ts";
import type { Context } from "./context.ts";
import { type DemoProvider, openDemoProvider } from "./demo-provider.ts";
import type { Component } from "./parts.ts";

interface ProvidersAndDemo {
  providers: Providers;
  demo: DemoProvider;
}

export const providerList: Component<Context, ProvidersAndDemo> = {
  name: "providers",
  async open({ env }) {
    const providers = openProviders();
    return { providers, demo: await openDemoProvider(env.demoUpstream, providers) };
  },
  close: ({ demo }) => demo.close(),
};

export const siteSettings: Component<
  { database: Database; secrets: Secrets; demo: DemoProvider },
  SettingsStore
> = {
  name: "settings",
  async open({ database: { db }, secrets, demo }) {
    const settings = await createSettings(db, secrets);
    await demo.follow(settings.current().DemoProviderEnabled);
    return settings;
  },
};

export const mail: Component<Context & { settings: SettingsStore }, Mailer> = {
  name: "mail",
  open: ({ settings, onError }) => createMailer(() => mailAccount(settings.current()), onError),
  close: (opened) => opened.close(),
};

export const upstreamClient: Component<object, UpstreamClient> = {
  name: "connections to providers",
  open: () => createUpstreamClient(),
  close: (opened) => opened.close(),
};
