const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is an id; the database refuses a query for any other one. */
export const isUuid = (text: string): boolean => UUID.test(text);
