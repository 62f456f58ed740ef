// The only import of dynalite's internals, which are no public interface: the version is pinned.
import batchWriteItem from 'dynalite/actions/batchWriteItem.js';
import deleteItem from 'dynalite/actions/deleteItem.js';
import getItem from 'dynalite/actions/getItem.js';
import putItem from 'dynalite/actions/putItem.js';
import query from 'dynalite/actions/query.js';
import scan from 'dynalite/actions/scan.js';
import updateItem from 'dynalite/actions/updateItem.js';
import db from 'dynalite/db/index.js';
import batchGetItemRules from 'dynalite/validations/batchGetItem.js';
import batchWriteItemRules from 'dynalite/validations/batchWriteItem.js';
import createTableRules from 'dynalite/validations/createTable.js';
import deleteItemRules from 'dynalite/validations/deleteItem.js';
import getItemRules from 'dynalite/validations/getItem.js';
import validations from 'dynalite/validations/index.js';
import putItemRules from 'dynalite/validations/putItem.js';
import queryRules from 'dynalite/validations/query.js';
import scanRules from 'dynalite/validations/scan.js';
import updateItemRules from 'dynalite/validations/updateItem.js';
import type {
  Action,
  BatchGet,
  BatchWrite,
  DynaliteDb,
  DynaliteValidations,
  ItemResult,
  PageResult,
  Rules,
  ValidRequest,
} from './dynalite-types.ts';

export const dynaliteDb = db as DynaliteDb;
export const dynaliteValidations = validations as DynaliteValidations;

export const actions = {
  putItem: putItem as Action<ItemResult>,
  updateItem: updateItem as Action<ItemResult>,
  deleteItem: deleteItem as Action<ItemResult>,
  getItem: getItem as Action<ItemResult>,
  query: query as Action<PageResult>,
  scan: scan as Action<PageResult>,
  batchWriteItem: batchWriteItem as Action<unknown>,
};

export const rules = {
  putItem: putItemRules as Rules<ValidRequest>,
  updateItem: updateItemRules as Rules<ValidRequest>,
  deleteItem: deleteItemRules as Rules<ValidRequest>,
  getItem: getItemRules as Rules<ValidRequest>,
  query: queryRules as Rules<ValidRequest>,
  scan: scanRules as Rules<ValidRequest>,
  batchGetItem: batchGetItemRules as Rules<BatchGet>,
  batchWriteItem: batchWriteItemRules as Rules<BatchWrite>,
  createTable: createTableRules as Rules<object>,
};
