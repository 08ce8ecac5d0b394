// By name, so that the rest of the manifest is not bundled.
export { version as VERSION } from '../../package.json';
