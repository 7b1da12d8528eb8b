/** What the settings show about stored backups and the exported log. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { faults } from "../support/faults.ts";
import { expect, test } from "../support/test.ts";

const dataDir = await mkdtemp(join(tmpdir(), "stored-files-"));
test.use({ gateway: { env: { DATA_DIR: dataDir } } });
test.afterAll(() => rm(dataDir, { recursive: true, force: true }));

const section = (page: Page, name: string) => page.getByRole("form", { name, exact: true });

test(
  "stored backups are listed, one is written now, and a place that does not answer is named",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await page.goto("/panel/setting?section=backups");
    const backups = section(page, "Backups");
    await expect(backups.getByText("Stored backups")).toHaveCount(0);
    await site.api("PUT", "/option", { key: "BackupEnabled", value: true });
    await page.reload();
    await expect(backups.getByText("No backup yet")).toBeVisible();
    await expect(backups.getByRole("textbox", { name: "S3 bucket" })).toHaveCount(0);

    await mkdir(join(dataDir, "backups"), { recursive: true });
    for (let day = 10; day < 17; day += 1)
      await writeFile(join(dataDir, `backups/gateway-202611${day}T030000Z.gz.age`), "x".repeat(day * 1000));
    await page.reload();
    await expect(backups.getByRole("listitem")).toHaveCount(5);
    await expect(backups.getByRole("listitem").first()).toContainText("16 kB");
    await expect(backups.getByRole("listitem").first()).toContainText("Not verified");
    await backups.getByRole("button", { name: "Show 7 backups" }).click();
    await expect(backups.getByRole("listitem")).toHaveCount(7);
    await backups.getByRole("button", { name: "Back up now" }).click();
    await expect(backups.getByRole("listitem").first()).toContainText("Verified", { timeout: 20_000 });
    await expect(backups.getByRole("status")).toHaveCount(0);
    expect(await faults(page, "form[aria-label=Backups]")).toEqual([]);

    const values = { BackupPlace: "s3", BackupS3Endpoint: "http://127.0.0.1:2", BackupS3Bucket: "b" };
    await site.api("PUT", "/option/batch", {
      values: { ...values, BackupS3AccessKey: "a", BackupS3SecretKey: "b" },
    });
    await page.reload();
    await expect(backups.getByText("This could not be loaded")).toBeVisible({ timeout: 20_000 });
    await expect(backups.getByText("s3://b cannot be used")).toBeVisible();
    await expect(backups.getByRole("textbox", { name: "S3 bucket" })).toHaveValue("b");
  },
);

test(
  "root exports the log, and sees the hours and why an export fails",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await page.goto("/panel/setting?section=log-export");
    const log = section(page, "Log export");
    await log.getByRole("switch", { name: "Export the request log" }).click();
    await log.getByRole("button", { name: "Save" }).click();
    await expect(log.getByText("Nothing was exported yet.")).toBeVisible();
    await log.getByRole("button", { name: "Export now" }).click();
    await expect(log.getByText("No calls in the exported hours")).toBeVisible({ timeout: 15_000 });
    await expect(log.getByText(/^Exported until .*log-export$/)).toBeVisible();

    // Without keys of the bucket.
    await site.api("PUT", "/option/batch", {
      values: { LogExportPlace: "s3", LogExportS3Endpoint: "http://127.0.0.1:2", LogExportS3Bucket: "b" },
    });
    await log.getByRole("button", { name: "Export now" }).click();
    await expect(log.getByText("The log is not exported")).toBeVisible({ timeout: 20_000 });
    await expect(
      log.getByText("the bucket, the access key ID or the secret access key is missing"),
    ).toBeVisible();
    expect(await faults(page, "form[aria-label='Log export']")).toEqual([]);
  },
);
