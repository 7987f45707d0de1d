import type { Config } from './config.js';
import { isLoopbackHost } from './loopback.js';

type MailConfig = Pick<Config, 'smtpUrl' | 'baseUrl'>;

/**
 * Where mails go: to a server, into files of this machine, or nowhere. Files are for a network that nobody else reaches, so
 * that recovery can be tried without a server.
 */
export function mailDelivery({ smtpUrl, baseUrl }: MailConfig): 'smtp' | 'files' | 'none' {
  if (smtpUrl !== undefined) return 'smtp';
  return isLoopbackHost(new URL(baseUrl).hostname) ? 'files' : 'none';
}
