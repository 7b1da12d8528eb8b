# syntax=docker/dockerfile:1

# The version of package.json's `node`. Another registry or version: docker build --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24.21.0-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY apps/server/package.json apps/server/
COPY apps/web/package.json apps/web/
COPY packages/demo/package.json packages/demo/
COPY packages/shared/package.json packages/shared/

FROM manifests AS build
# The bill of materials of a release names what the bundles contain, too.
ARG BUILDKIT_SBOM_SCAN_STAGE=true
RUN npx --yes pnpm@12 install --frozen-lockfile
COPY . .
RUN node scripts/prisma.mjs generate
RUN cd apps/web && NODE_ENV=production node node_modules/vite/bin/vite.js build
RUN NODE_ENV=production node scripts/bundle.mjs

# What the bundle of the server does not contain: the `dependencies` of its package.json.
FROM manifests AS dependencies
RUN npx --yes pnpm@12 install --frozen-lockfile --prod --filter @gateway/server

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
ENV PORT=3000
ENV DATA_DIR=/data
COPY --from=dependencies /app ./
COPY LICENSE ./
COPY prisma/migrations prisma/migrations
COPY --from=build /app/apps/web/dist apps/web/dist
COPY --from=build /app/apps/server/dist apps/server/dist
# docker compose exec server gateway …
RUN printf '#!/bin/sh\nexec node /app/apps/server/dist/bundle/cli.js "$@"\n' > /usr/local/bin/gateway && chmod 755 /usr/local/bin/gateway
COPY deploy/health-probe /usr/local/bin/gateway-health
# Group 0 may write, so that any user ID of that group can run the image, as OpenShift requires.
RUN mkdir -p /data /secrets /app/.compile-cache && chown node:0 /data /secrets /app/.compile-cache && chmod 775 /data
VOLUME /data
USER node
# Node keeps what it has compiled, so that starts do not compile it again. It keeps that apart for each user ID.
ENV NODE_COMPILE_CACHE=/app/.compile-cache
RUN node --input-type=module -e "import { readdirSync } from 'node:fs'; for (const file of readdirSync('/app/apps/server/dist/bundle')) if (file.endsWith('.js') && !['main.js', 'cli.js', 'export-thread.js'].includes(file)) await import('/app/apps/server/dist/bundle/' + file)"
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["gateway-health"]
# The flag is explained at gatewayFlags in scripts/steps.mjs.
CMD ["node", "--v8-pool-size=1", "apps/server/dist/bundle/main.js"]
