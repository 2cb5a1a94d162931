import { edgePlatform } from '../_shared/platform.ts';
import { makeSignatureApp } from './app.ts';

export default makeSignatureApp(edgePlatform());
