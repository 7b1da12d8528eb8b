import { DeviceApproval, WaitingDevice } from "@gateway/shared/accounts/device";
import { TokenRow } from "@gateway/shared/accounts/token";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { approveDevice, denyDevice, findWaitingDevice, listDeviceTokens } from "#domain/tokens/devices.ts";
import { describeToken } from "#domain/tokens/tokens.ts";

const CodeParams = z.object({ code: z.string().max(32) });

/** Routes for the user of a device that signs in, and for the tokens of such devices. */
export function deviceRoutes(app: ConsoleApp, { db, secrets, settings }: Services): void {
  const config = { access: "user" } as const;

  app.get(
    "/token/devices",
    {
      config,
      schema: {
        summary: "List the tokens of your command-line devices",
        response: answers(z.array(TokenRow)),
      },
    },
    async (request) => {
      const viewer = viewerOf(request);
      const tokens = await listDeviceTokens(db, viewer.id);
      return ok(tokens.map((token) => describeToken(token, viewer.role, settings.current().TimeZone)));
    },
  );

  app.get(
    "/device/:code",
    {
      // Counts guesses.
      config: { ...config, checksOrigin: true },
      schema: {
        summary: "Get the device that shows a code",
        params: CodeParams,
        response: answers(WaitingDevice),
      },
    },
    async (request) => ok(await findWaitingDevice(db, secrets, viewerOf(request), request.params.code)),
  );

  app.post(
    "/device/:code/approve",
    {
      config,
      schema: {
        summary: "Approve a device: it gets a token of yours with these limits",
        params: CodeParams,
        body: DeviceApproval,
        response: answers(Nothing),
      },
    },
    async (request) => {
      const { params, body } = request;
      await approveDevice(db, secrets, viewerOf(request), { userCode: params.code, token: body });
      return ok(null);
    },
  );

  app.post(
    "/device/:code/deny",
    { config, schema: { summary: "Deny a device", params: CodeParams, response: answers(Nothing) } },
    async (request) => {
      await denyDevice(db, secrets, viewerOf(request), request.params.code);
      return ok(null);
    },
  );
}
