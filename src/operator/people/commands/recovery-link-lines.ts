import { timeText } from '../../../base/terminal/output.js';
import type { MadeLink } from '../made-link.js';

export const recoveryLinkLines = ({ link, worksFrom, worksUntil, told }: MadeLink): string[] => [
  `link         ${link}`,
  `works from   ${timeText(worksFrom)}`,
  `works until  ${timeText(worksUntil)}`,
  told === 0
    ? 'Nobody is told by mail: the account has no confirmed address, or the network sends none. Its page tells who is signed in.'
    : 'Its person is told by mail and on the account page (while suspended: the page of appeals), and can end it.',
  'The link is shown only now. Give it to the person of the account, and to nobody else.',
];
