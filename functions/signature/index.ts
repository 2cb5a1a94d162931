import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeSignatureApp } from './app.ts';

export default makeSignatureApp(edgePlatform());
