import type { Language } from './language.ts';

export const words: Language = {
  card_number: ['卡号', '请输入卡号', '卡号不完整', '请检查卡号'],
  card_expiration: ['有效期', '请输入有效期', '请输入月份和年份，例如 09 / 30', '请检查有效期'],
  card_cvc: ['安全码', '请输入安全码', '安全码不完整', '请检查安全码'],
  account_number: ['账号', '请输入账号', '账号不完整', '请检查账号'],
  routing_number: ['银行代码 (ABA)', '请输入银行代码', '银行代码为9位数字', '请检查银行代码'],
  text: ['文本', '请填写此项', '请填写此项', '请检查此项'],
  placeholder: 'MM / YY',
  past: '该日期已过',
};
