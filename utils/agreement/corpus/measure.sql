-- What the corpus' sqlite is run on.
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)
  insert into t select i, 'text ' || (i * 79 % 100), i * 0.5 from n;
create index tb on t(b);
select count(*), sum(c), max(b) from t where b like 'text 1%' group by a % 7 order by 2 desc;
select t1.a, t2.b from t t1 join t t2 on t1.a = t2.a * 3 where t1.c > 5 limit 20;
select json_extract('{"a":[1,2,{"b":3}]}', '$.a[2].b'), printf('%08.3f', 3.14159);
create view v as select a, row_number() over (order by c desc) r from t;
select max(r) from v where a in (select a from t where b glob '*7*');
create trigger d after delete on t begin insert into t values (-old.a, old.b, 0); end;
begin; update t set c = c * 2 where a % 3 = 0; delete from t where a % 5 = 0; rollback;
delete from t where a = 7; select date('2024-02-29', '+1 year'), hex(quote(b)) from t limit 3;
explain query plan select * from t where b = 'x' or a between 3 and 9;
pragma integrity_check; vacuum;
