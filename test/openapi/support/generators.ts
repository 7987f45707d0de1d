/** Generators of clients, installed as an application's developer would. They are no dependencies of the package. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const KIOTA_LIBRARIES = '2.1.6';

/** The only place that names their versions. */
const versions = {
  npm: {
    '@hey-api/openapi-ts': '0.99.0',
    'openapi-fetch': '0.17.0',
    'openapi-typescript': '7.13.0',
    typescript: '5.9.3',
  },
  dotnetTools: { 'Microsoft.OpenApi.Kiota': '1.38.0', 'NSwag.ConsoleCore': '14.7.1' },
  nuget: {
    'Microsoft.Kiota.Abstractions': KIOTA_LIBRARIES,
    'Microsoft.Kiota.Http.HttpClientLibrary': KIOTA_LIBRARIES,
    'Microsoft.Kiota.Serialization.Form': KIOTA_LIBRARIES,
    'Microsoft.Kiota.Serialization.Json': KIOTA_LIBRARIES,
    'Microsoft.Kiota.Serialization.Multipart': KIOTA_LIBRARIES,
    'Microsoft.Kiota.Serialization.Text': KIOTA_LIBRARIES,
    'Newtonsoft.Json': '13.0.4',
  },
} as const;

const settings = {
  DOTNET_CLI_TELEMETRY_OPTOUT: 'true',
  DOTNET_CLI_UI_LANGUAGE: 'en',
  KIOTA_CLI_TELEMETRY_OPTOUT: 'true',
};

type Command = readonly [program: string, ...args: string[]];

/** Returns the output. @throws {Error} the command failed; the message has its output. */
async function run([program, ...args]: Command, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd,
      env: { ...process.env, ...settings, ...env },
    });
    return stdout;
  } catch (error) {
    const { message, stdout } = error as Error & { readonly stdout?: string };
    throw new Error(`${message}\n${stdout ?? ''}`, { cause: error });
  }
}

/** Compilers of a journey with a generated client. */
export interface Toolchain {
  /** Installs the generators into a directory. Returns what this machine lacks for it, if anything. */
  install(directory: string): Promise<string | undefined>;
  /** The journey's file in the folder of a client. */
  readonly source: string;
  /** Further files of that folder. */
  readonly project: Readonly<Record<string, string>>;
  generator(directory: string, name: string): Command;
  compile(directory: string): Command;
  start(directory: string): Command;
}

/** npm and NuGet say one of them if their registry does not answer. Any other fault of an installation is one of this test. */
const UNREACHED =
  /\b(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT|NU1301|Unable to load the service index)\b/;

async function unlessUnreached(install: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await install();
    return undefined;
  } catch (error) {
    const [code] = UNREACHED.exec((error as Error).message) ?? [];
    if (code === undefined) throw error;
    return `the registry of its packages cannot be reached: ${code}`;
  }
}

const bin = (directory: string, name: string): Command => [
  process.execPath,
  join(directory, 'node_modules', '.bin', name),
];

/** hey-api reads them above its own folder. */
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
};

export const typescript: Toolchain = {
  install(directory) {
    const files = {
      'package.json': { private: true, type: 'module', dependencies: versions.npm },
      'tsconfig.json': { compilerOptions },
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(directory, name), JSON.stringify(content));
    const options = [
      '--prefix',
      directory,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--fetch-retries=1',
    ];
    return unlessUnreached(() => run(['npm', 'install', ...options], directory));
  },
  source: 'journey.ts',
  project: {
    'tsconfig.json': JSON.stringify({ extends: '../tsconfig.json', compilerOptions: { outDir: 'out' } }),
  },
  generator: bin,
  compile: (directory) => bin(directory, 'tsc'),
  start: () => [process.execPath, join('out', 'journey.js')],
};

const libraries = Object.entries(versions.nuget).map(
  ([name, version]) => `<PackageReference Include="${name}" Version="${version}" />`,
);

export const dotnet: Toolchain = {
  async install(directory) {
    const hasSdk = await run(['dotnet', '--version'], directory).then(
      () => true,
      () => false,
    );
    if (!hasSdk) return 'this machine has no .NET SDK';
    return unlessUnreached(async () => {
      for (const [name, version] of Object.entries(versions.dotnetTools))
        await run(
          ['dotnet', 'tool', 'install', name, '--version', version, '--tool-path', directory],
          directory,
        );
    });
  },
  source: 'Journey.cs',
  project: {
    'journey.csproj': `<Project Sdk="Microsoft.NET.Sdk">
      <PropertyGroup>
        <OutputType>Exe</OutputType>
        <TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>
        <ImplicitUsings>enable</ImplicitUsings>
        <Nullable>enable</Nullable>
      </PropertyGroup>
      <ItemGroup>${libraries.join('')}</ItemGroup>
    </Project>`,
  },
  generator: (directory, name) => [join(directory, name)],
  compile: () => ['dotnet', 'build', '--output', 'out', '--disable-build-servers'],
  start: () => ['dotnet', join('out', 'journey.dll')],
};

const journeys = join(import.meta.dirname, '..', 'journeys');

/**
 * Makes a client of `openapi.json` in the directory, and a program of it and its journey. Returns the JSON that the journey prints.
 * @param journey its file in test/openapi/journeys
 * @param generate the command that makes the client, in a folder beside the document
 */
export async function journeyOf(
  toolchain: Toolchain,
  directory: string,
  journey: string,
  generate: string,
  env: NodeJS.ProcessEnv,
): Promise<unknown> {
  const folder = join(directory, journey.replace(/\..*/, ''));
  mkdirSync(folder);
  copyFileSync(join(journeys, journey), join(folder, toolchain.source));
  for (const [file, text] of Object.entries(toolchain.project)) writeFileSync(join(folder, file), text);
  const [name = '', ...args] = generate.split(' ');
  await run([...toolchain.generator(directory, name), ...args], folder);
  await run(toolchain.compile(directory), folder);
  return JSON.parse(await run(toolchain.start(directory), folder, env));
}
