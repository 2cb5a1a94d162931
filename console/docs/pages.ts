/** The Markdown text of a page, loaded when the page is first shown. */
type LoadText = () => Promise<string>;

const files = import.meta.glob<string>('../../docs/{guides,reference,operating}/*.md', {
  query: '?raw',
  import: 'default',
});

/** Pages that explain the design of the project. The list omits these pages, so only links lead to them. */
const moreFiles = import.meta.glob<string>(['../../docs/*.md', '../../docs/decisions/*.md'], {
  query: '?raw',
  import: 'default',
});

const images = import.meta.glob<string>('../../docs/images/*.png', { eager: true, query: '?url', import: 'default' });

const pathOf = (file: string): string => file.replace(/^(\.\.\/)+docs\//, '').replace(/\.md$/, '');

const loaders = new Map<string, LoadText>(
  Object.entries({ ...files, ...moreFiles }).map(([file, load]) => [pathOf(file), load]),
);

/** The promises of requested texts. A path always gets the same promise, because React's `use` requires this. */
const texts = new Map<string, Promise<string>>();

/** Tests whether there is a page of this path, such as `guides/connections`. */
export const hasPage = (path: string): boolean => loaders.has(path);

/** Returns the text of a page; undefined if there is no such page. */
export function textOf(path: string): Promise<string> | undefined {
  const load = loaders.get(path);
  if (load !== undefined && !texts.has(path)) texts.set(path, load());
  return texts.get(path);
}

/** Returns the address of a picture of the documentation by its name. */
export const imageUrl = (name: string): string | undefined => images[`../../docs/images/${name}`];

/** Words of file names that a title writes with capital letters. */
const WORDS: Record<string, string> = { api: 'API', github: 'GitHub', javascript: 'JavaScript', rhai: 'Rhai' };

/** Makes a title from the name of a file: `github_pushes` becomes `GitHub pushes`. */
export function titleOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const words = name.split('_').map((word) => WORDS[word] ?? word).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The page with which the documentation opens. */
export const FIRST_PAGE = 'guides/getting_started';

/** A part of the documentation, and its pages. */
interface DocsPart {
  title: string;
  pages: { path: string; title: string }[];
}

/** The listed pages. */
export const PARTS: DocsPart[] = [
  { title: 'Guides', folder: 'guides' },
  { title: 'Reference', folder: 'reference' },
  { title: 'Operating', folder: 'operating' },
].map(({ title, folder }) => ({
  title,
  pages: Object.keys(files).map(pathOf).filter((path) => path.startsWith(`${folder}/`) && !path.endsWith('README'))
    .sort((a, b) => Number(b === FIRST_PAGE) - Number(a === FIRST_PAGE))
    .map((path) => ({ path, title: titleOf(path) })),
}));
