/** The name of a file in a node's inputs: either the file's key, or the bucket and the path in the owner's folder. */
export interface FileName {
  key?: string | undefined;
  bucket?: string | undefined;
  path?: string | undefined;
}

/** The content of a stored file. */
interface FileContent {
  bytes: Uint8Array;
  contentType: string;
}

/** The data of a stored file, as Storage returns them. */
interface FileMetadata {
  key: string;
  contentType: string;
  lastModified: string;
}

/**
 * A file to store. If the content type is missing, the ending of the file's name decides it. If the ending is unknown,
 * `isText` does.
 */
export interface FileUpload {
  bytes: Uint8Array;
  isText: boolean;
  contentType: string | undefined;
  overwrite: boolean;
}

/** The options of a signed URL. */
export interface UrlOptions {
  expiresInSeconds: number;
  /** The transformation of an image, in the form that Storage takes. */
  transform: { [name: string]: string | number } | undefined;
  /** If true, browsers save the file instead of showing it. If it is a text, they save the file under this name. */
  download: boolean | string;
}

/** The names in a folder. Names of folders end with a slash. */
interface FolderNames {
  names: string[];
  /** True if the folder may hold further names that this answer lacks. */
  isCut: boolean;
}

/**
 * The files of the run's owner in Supabase Storage. Each method throws a NodeError if the flow may not reach the file,
 * or if Storage refuses the request.
 */
export interface OwnerFiles {
  /** Returns the file's key. */
  upload: (file: FileName, upload: FileUpload, signal: AbortSignal) => Promise<{ key: string; contentType: string }>;
  download: (file: FileName, maxBytes: number, signal: AbortSignal) => Promise<FileContent>;
  list: (folder: { bucket: string; path: string | undefined }, signal: AbortSignal) => Promise<FolderNames>;
  /** Returns the key, even if the file does not exist. */
  remove: (file: FileName, signal: AbortSignal) => Promise<string>;
  signUrl: (file: FileName, options: UrlOptions, signal: AbortSignal) => Promise<string>;
  publicUrl: (file: FileName) => string;
  metadata: (file: FileName, signal: AbortSignal) => Promise<FileMetadata>;
}
