import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../stack/paths.ts';
import { generatedSql } from './generated_sql.ts';
import { declaredFiles } from './schema.ts';

// Until the first release the whole schema is one migration. After it, migrations are only added, with npm run db:diff.
const file = 'supabase/migrations/20261121000000_create_schema.sql';

const HEADER = `-- Written by npm run db:squash from the files in sql/, in which changes are made.

-- Functions may name tables of later files.
set check_function_bodies = off;
`;

const generated = generatedSql();
for (const { file, text } of generated) writeFileSync(join(projectDir, file), text);

const parts = declaredFiles().map((name) =>
  `\n-- sql/${name}\n\n${readFileSync(join(projectDir, 'sql', name), 'utf8')}`
);
writeFileSync(join(projectDir, file), HEADER + parts.join(''));
console.log(`Wrote ${generated.map(({ file }) => file).join(', ')}, and ${file} from ${parts.length} files.`);
