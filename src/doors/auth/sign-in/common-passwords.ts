import { dictionary } from '@zxcvbn-ts/language-common';

const common: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** True for a password that an attacker tries first. The list has lower case alone. */
export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase());
