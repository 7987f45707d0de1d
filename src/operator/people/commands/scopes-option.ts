import { Option } from 'commander';

export const scopesOption = (help: string): Option =>
  new Option('--scope <scopes>', help).argParser((scopes) => scopes.split(/\s+/).filter(Boolean));
