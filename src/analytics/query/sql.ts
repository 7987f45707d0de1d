export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Of a column, which never has a quotation mark. */
export const named = (name: string) => `"${name}"`;
