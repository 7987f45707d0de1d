# One image for every process of the network; ROLE says which one a container is.
FROM node:24-bookworm-slim AS build
WORKDIR /plaza
COPY . .
# Installing builds as well: see "prepare" in package.json.
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /plaza
# The volume at /data takes over the owner of this directory.
RUN mkdir /data && chown node:node /data
COPY --from=build /plaza/package.json ./
COPY --from=build /plaza/node_modules ./node_modules
COPY --from=build /plaza/bin ./bin
COPY --from=build /plaza/dist ./dist
USER node
ENTRYPOINT ["node", "bin/plaza.mjs"]
CMD ["start"]
