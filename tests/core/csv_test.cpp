#include "penumbra/core/csv.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> rows_of(std::string_view text) {
  CsvRows rows(text);
  std::vector<Fields> all;
  while (const auto row = rows.next()) all.push_back(row->fields);
  return all;
}

TEST(Csv, ReadsWhatItWrote) {
  const Fields fields{"plain", "",       "a,b", "say \"so\"", "two\nlines", "cr\rlf\r\n",
                      " edge", "edge\t", "ü",   "\"",         ",",          "\n"};
  std::string text;
  for (const auto& field : fields) text += (text.empty() ? "" : ",") + csv_field(field);
  EXPECT_EQ(rows_of(text + "\nnext\n"), (std::vector<Fields>{fields, {"next"}}));
}

TEST(Csv, QuotesOnlyWhatNeedsThem) {
  EXPECT_EQ(csv_field("a b"), "a b");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
}

TEST(Csv, LinesEndAsOnAnySystem) {
  const std::vector<Fields> expected{{"a", "b"}, {"c", "d"}};
  EXPECT_EQ(rows_of("a,b\nc,d"), expected);
  EXPECT_EQ(rows_of("a,b\r\nc,d\r\n"), expected);
  EXPECT_EQ(rows_of("a,b\rc,d\r"), expected);
  EXPECT_EQ(rows_of("\xef\xbb\xbf"
                    "a,b\nc,d\n"),
            expected);
}

TEST(Csv, BlanksAroundAFieldAreNotPartOfIt) {
  EXPECT_EQ(rows_of(" a ,\tb\t, \"c \" \n"), (std::vector<Fields>{{"a", "b", "c "}}));
}

TEST(Csv, KnowsTheLineWhereARowBegins) {
  CsvRows rows("a\n\"b\nb\"\r\nc\rd");
  std::vector<int64_t> lines;
  while (const auto row = rows.next()) lines.push_back(row->line);
  EXPECT_EQ(lines, (std::vector<int64_t>{1, 2, 4, 5}));
}

TEST(Csv, AQuoteThatIsNeverClosedIsNoticed) {
  CsvRows rows("a\n\"b,c\n");
  EXPECT_TRUE(rows.next()->closed);
  const auto open = rows.next();
  EXPECT_FALSE(open->closed);
  EXPECT_EQ(open->fields, Fields{"b,c\n"});
  EXPECT_FALSE(rows.next());
}

TEST(Csv, AQuoteWithinAFieldIsALetter) {
  EXPECT_EQ(rows_of("5\" disk,x\n"), (std::vector<Fields>{{"5\" disk", "x"}}));
  // As many as one likes, in time that grows with their number and not with its square.
  const std::string quotes = "a" + std::string(1000000, '"');
  EXPECT_EQ(rows_of(quotes), (std::vector<Fields>{{quotes}}));
}

TEST(Csv, EmptyFieldsAndLinesAreKept) {
  EXPECT_EQ(rows_of(""), std::vector<Fields>{});
  EXPECT_EQ(rows_of("\n"), (std::vector<Fields>{{""}}));
  EXPECT_EQ(rows_of("a,\n,b\n\n,,"),
            (std::vector<Fields>{{"a", ""}, {"", "b"}, {""}, {"", "", ""}}));
  EXPECT_EQ(rows_of("\"\",\"\"\n"), (std::vector<Fields>{{"", ""}}));
}

TEST(Csv, WhatStandsBetweenQuotesStaysAsItIs) {
  EXPECT_EQ(rows_of("\" a \",\"b,c\",\"d\r\ne\",\"\"\"\"\n"),
            (std::vector<Fields>{{" a ", "b,c", "d\r\ne", "\""}}));
}

TEST(Csv, AByteOrderMarkIsPassedOverOnlyAtTheBeginning) {
  EXPECT_EQ(rows_of("\xef\xbb\xbf"), std::vector<Fields>{});
  EXPECT_EQ(rows_of("a\n\xef\xbb\xbf"
                    "b\n"),
            (std::vector<Fields>{{"a"},
                                 {"\xef\xbb\xbf"
                                  "b"}}));
}

TEST(Csv, BlanksAroundQuotesDoNotCount) {
  EXPECT_EQ(rows_of(" \t\"a.jpg\"\t ,cat\n"), (std::vector<Fields>{{"a.jpg", "cat"}}));
}

TEST(Csv, LinesAreCountedWithinQuotesToo) {
  CsvRows rows("\"a\n\n\",b\nc\n");
  EXPECT_EQ(rows.next()->line, 1);
  EXPECT_EQ(rows.next()->line, 4);
}

}  // namespace
}  // namespace penumbra
