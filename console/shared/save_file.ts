/** Offers a file for download. */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Converts a text to a file name that every system accepts. */
export const fileName = (text: string, extension: string): string =>
  `${text.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 100) || 'flow'}.${extension}`;
