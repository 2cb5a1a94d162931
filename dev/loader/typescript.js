// Former place of the loader, for checkouts whose commands still name it.
import '../../platform/loader/typescript.js';
