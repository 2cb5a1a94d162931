const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True if a text is an id. The database refuses queries for other texts. */
export const isUuid = (text: string): boolean => UUID.test(text);
