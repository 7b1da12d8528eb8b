# syntax=docker/dockerfile:1

# The version of package.json's `node`. Another registry or version: docker build --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24.21.0-slim

# The console is built with every tool at hand.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY apps/server/package.json apps/server/
COPY apps/web/package.json apps/web/
COPY packages/demo/package.json packages/demo/
COPY packages/shared/package.json packages/shared/
RUN npx --yes pnpm@12 install --frozen-lockfile
COPY . .
RUN node scripts/prisma.mjs generate
RUN cd apps/web && NODE_ENV=production node node_modules/vite/bin/vite.js build
RUN NODE_ENV=production node scripts/bundle.mjs

# What the server needs while it runs, and nothing else.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY apps/server/package.json apps/server/
COPY apps/web/package.json apps/web/
COPY packages/demo/package.json packages/demo/
COPY packages/shared/package.json packages/shared/
RUN npx --yes pnpm@12 install --frozen-lockfile --prod --filter "@gateway/server..."
COPY scripts/trim-image.mjs /tmp/
RUN node /tmp/trim-image.mjs /app

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
ENV PORT=3000
ENV DATA_DIR=/data
COPY --from=dependencies /app ./
COPY packages packages
COPY apps/server apps/server
COPY prisma/migrations prisma/migrations
COPY --from=build /app/apps/server/src/platform/prisma apps/server/src/platform/prisma
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
