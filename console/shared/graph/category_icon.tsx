import { CATEGORIES, type Category } from './categories.ts';

/** The icon of a category, beside a text that names the node. */
export const CategoryIcon = ({ category }: { category: Category }) => (
  <svg className='graph-icon' data-category={category} viewBox='0 0 24 24' aria-hidden='true'>
    <path d={CATEGORIES[category].icon} />
  </svg>
);
