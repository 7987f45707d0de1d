/** The mark as a file: browsers show it beside the name of a page. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2f8f7c" stroke-width="2.2">
<path d="M3 21V10a4.5 4.5 0 0 1 9 0v11M12 21V10a4.5 4.5 0 0 1 9 0v11M1.5 21h21"/></svg>`;

/** The address of {@link icon} in the network. */
export const ICON_PATH = '/icon.svg';
