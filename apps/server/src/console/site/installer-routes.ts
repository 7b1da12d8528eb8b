import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Services } from "#console/services.ts";
import { installer, type InstallerName } from "./installer/installer.ts";
import { ownAddress } from "./own-address.ts";

/**
 * The scripts that connect command-line clients, at the root of the site: `/install.sh` and `/install.ps1`.
 * They contain no key and no data of a user.
 * @param root the base path: "" or "/gateway"
 */
export function installerRoutes(
  scope: FastifyInstance,
  { settings }: Pick<Services, "settings">,
  root: string,
) {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.setSerializerCompiler(serializerCompiler);
  const route = (name: InstallerName, summary: string) =>
    app.get(
      `${root}/${name}`,
      {
        config: { access: "anyone" },
        schema: { summary, response: { 200: z.string(), 409: z.string() } },
      },
      async (request, reply) => send(request, reply, name),
    );

  function send(request: FastifyRequest, reply: FastifyReply, name: InstallerName) {
    void reply.type("text/plain; charset=utf-8").header("cache-control", "no-store");
    const address = ownAddress(settings.current(), request, root);
    if (address === undefined)
      return reply.code(409).send("echo 'The server address of this site is not configured.' && exit 1\n");
    return reply.send(installer(name, address));
  }

  route("install.sh", "Get the script that connects clients, for sh");
  route("install.ps1", "Get the script that connects clients, for PowerShell");
}
