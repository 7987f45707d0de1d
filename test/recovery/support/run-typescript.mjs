/** A module hook for processes of tests and of chaos/: their TypeScript runs as it is, the tested code from dist/. */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);
const own = [new URL('test/', root).href, new URL('chaos/', root).href];
const built = [new URL('src/', root).href, new URL('projections/', root).href];

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (!specifier.startsWith('.') || !own.some((folder) => parentURL.startsWith(folder)))
      return next(specifier, context);
    const { href } = new URL(specifier, parentURL);
    return built.some((folder) => href.startsWith(folder))
      ? next(new URL(`dist/${href.slice(root.href.length)}`, root).href, context)
      : next(fileURLToPath(href).replace(/\.js$/, '.ts'), context);
  },
});
