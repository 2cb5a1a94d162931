ALTER TABLE "public"."flows"
  ADD COLUMN "folder" text NOT NULL DEFAULT ''::text;

COMMENT ON COLUMN "public"."flows"."folder" IS 'The folder in which the owner''s list shows the flow; empty for none. Folders have one level, and exist as long as a flow names them.';

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_folder_form"
    CHECK
    ((((char_length(folder) <= private.limit_name_characters()) AND (folder !~ '[/[:cntrl:]]|^\s|\s$'::text)) OR private.refuse_column('folder'::text,
    format('must be the name of a folder, at most %s characters without / and line breaks'::text, private.limit_name_characters()))));
