const utf8 = new TextEncoder();

/** Returns the bytes of a text in UTF-8. Short texts in ASCII are tested for that, because encoding takes 20 times as long. */
export const utf8Length = (text: string): number => /^[\0-\x7f]*$/.test(text) ? text.length : utf8.encode(text).length;
