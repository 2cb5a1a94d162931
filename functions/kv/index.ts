import { edgePlatform } from '../_shared/platform.ts';
import { makeKvApp } from './app.ts';

export default makeKvApp(edgePlatform());
