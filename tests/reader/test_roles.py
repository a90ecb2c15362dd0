"""Rows and columns get their roles right, or the table is refused with the option that decides."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.errors import DataError
from quadrepro.reader import PrintedTable, read_table
from quadrepro.reader.text_grid import Text, comma_sign, parse


def read(folder: Path, text: str, **choices: object) -> PrintedTable:
    """Return the table in a text."""
    path = folder / "t.csv"
    path.write_text(text)
    return read_table(path, **choices)


READ = {
    "sizes of methods": ("model,Params (M),FLOPs (G),x,y; a,25.6,4.1,.9,.7; b,13.8,1.5,.8,.6",),
    "methods called like deviations": (
        "d,AB,SE,Re-SE; x,.9,.8,.7; y,.6,.5,.4",
        "x y",
        "AB SE Re-SE",
    ),
    "arrows in the corner": ("Method ↓ Dataset →,x,y; a,.9,.7; b,.8,.6",),
    "a column that counts rows": ("#,set,a,b; 1,x,.9,.8; 2,y,.7,.6",),
    "sizes, dimensions, time": (
        "Data,#Samples,# Dimensions,Time (s),a,b; x,10,3,0.5,.9,.8; y,20,4,0.7,.7,.6",
    ),
    "deviations in columns": ("d,a_mean,a_sd,b_mean,b_sd; x,.9,.1,.8,.1; y,.7,.1,.6,.1",),
    "deviations behind each method": ("d,a,a std,b,b std; x,.9,.1,.8,.1; y,.7,.1,.6,.1",),
    "ranks behind each method": ("d,a,a_rank,b,b_rank; x,.9,1,.8,2; y,.7,1,.6,2",),
    "means among folds": (
        "d,fold,a,b; x,0,.9,.8; x,1,.9,.8; x,mean,.1,.1; y,0,.7,.6; y,1,.7,.6; y,mean,.1,.1",
    ),
    "further rows of sums": (
        "d,a,b; x,.9,.8; y,.7,.6; Weighted mean,.8,.7; Av. rank,1,2; p (Wilcoxon),.5,.5; "
        "Avg. (x only),.9,.8; GM,.8,.7; Mean w/o x,.7,.6; Mean ± std,.80 ± .1,.70 ± .1",
    ),
    "rows of deviations and other statistics": (
        "d,a,b; x,.9,.8; y,.7,.6; Standard deviation,.1,.1; Écart-type,.1,.1; Rang moyen,1,2; "
        "95% CI,.1,.2; CV (%),9,8; IQR,.2,.2; MAD,.1,.1; Params (M),3,4; Elo,990,910; Top-1,2,0",
    ),
    "ranks of one name": ("d,a,rank,b,rank; x,.9,1,.8,2; y,.7,1,.6,2",),
    "a mean below each heading": (
        "d,a,b; ; small,,; x,.9,.8; Average,.9,.8; ; large,,; y,.7,.6; Average,.7,.6",
    ),
    "times behind each method": ("d,a,a time,b,b time; x,.9,3,.8,4; y,.7,3,.6,4",),
    "a time column in front of the name": (
        "d,acc_a,acc_b,time_a,time_b; x,.9,.8,3,4; y,.7,.6,3,4",
    ),
    "summary rows": (
        "d,a,b; x,.9,.8; y,.7,.6; Average,.8,.7; Avg. rank,1,2; Wins,2,0; W/T/L,-,0/0/2",
    ),
    "the last row of Weka in CSV": ("d,a,b; x,.9,.8 *; y,.7,.6; (v/ /*),,(0/1/1)",),
    "running times": ("d,a,b; x,.9,.8; y,.7,.6; mean_running_time_s,9,1",),
    "a data set that is called like a time": (
        "d,a,b; reaction time,.9,.8; machine_cpu,.7,.6",
        "reaction time|machine_cpu",
        "a b",
    ),
    "methods in rows": ("method,x,y,Avg.,Rank; a,.9,.7,.8,1; b,.8,.6,.7,2",),
    "methods in rows with their means": (
        "backbone,u,v,avg; a,.9,.71,.8; b,.8,.6,.7",
        "u v",
        "a b",
    ),
    "sizes with units": ("Model,Params,Speed,x,y; a,108M,1.5x,.9,.7; b,1.2B,2x,.8,.6",),
    "kinds of methods": ("venue,Method,x,y; ICML,a,.9,.7; NIPS,b,.8,.6",),
    "a data set called like a test": ("d,a,b; friedman1,.9,.8; y,.7,.6", "friedman1 y", "a b"),
    "a data set called like a statistic": (
        "Model,RACE-Mid,RACE-High,u; a,.9,.8,.7; b,.6,.5,.4",
        "RACE-Mid RACE-High u",
        "a b",
    ),
    "numbers of shots below the names": (
        ",u,v; ,5-shot,0-shot; x,.9,.8; y,.7,.6",
        "x y",
        "u 5-shot|v 0-shot",
    ),
    "a length and its mean": ("d,len,avg_len,a; x,.9,.8,.5; y,.7,.6,.5", "x y", "len avg_len a"),
    "methods like folds": (
        "d,fold,seed,run; x,.9,.8,.7; y,.6,.5,.4",
        "x y",
        "fold seed run",
    ),
    "data sets called like folds": ("method,seeds,cpu; a,.9,.7; b,.8,.6", "seeds cpu", "a b"),
    "methods called like numbers of things": (
        "d,NODE,None,No-SMOTE; x,.9,.8,.7; y,.6,.5,.4",
        "x y",
        "NODE None No-SMOTE",
    ),
    "long form": ("classifier,data,accuracy; a,x,.9; a,y,.7; b,x,.8; b,y,.6",),
    "long form of another kind of methods": (
        "Dataset,Encoding,Mean Accuracy,SD; x,a,.9,.1; x,b,.8,.1; y,a,.7,.1; y,b,.6,.1",
    ),
    "None among the second names": (
        ",A,A,B,B; d,None,All,None,All; x,.9,.8,.7,.6; y,.6,.5,.4,.3",
        "x y",
        "A None|A All|B None|B All",
    ),
    "long form with deviations": (
        "data,classifier,acc,sd; x,a,.9,.1; y,a,.7,.1; x,b,.8,.1; y,b,.6,.1",
    ),
    "long form with an index": (",model,dataset,error; 0,a,x,.9; 1,a,y,.7; 2,b,x,.8; 3,b,y,.6",),
    "folds with a column": ("d,fold,a,b; x,0,.9,.8; x,1,.9,.8; y,0,.7,.6; y,1,.7,.6",),
    "folds by repeated names": ("d,a,b" + 3 * "; x,.9,.8" + 3 * "; y,.7,.6",),
    "folds in the names": ("d,a,b; x_fold1,.9,.8; x_fold2,.9,.8; y_fold1,.7,.6; y_fold2,.7,.6",),
    "a kind of data next to the name": ("Dataset/AUC,Domain,a,b; x,bio,.9,.8; y,bio,.7,.6",),
    "two lines of names": (",Accuracy,; set,a,b; x,.9,.8; y,.7,.6",),
    "names that end in numbers": ("d\ta\tb; m1 0\t.9\t.8; m1 0.3\t.7\t.6", "m1 0|m1 0.3", "a b"),
    "gaps": ("d,a,b; x,.9,—; y,OOM,.6; z,?,n/a", "x y z", "a b"),
    "a column with a score of 1": ("d,c,a,b; x,.9,1,.8; y,.7,.6,.5", "x y", "c a b"),
    "one method in a kind of data": ("u,kind,a; x,p,.9; y,q,.7", "x y", "a"),
    "one method with the name of a summary": ("d,Average; x,.9; y,.7", "x y", "Average"),
    "one method with a mean at its end": ("d,a; x,.9; y,.7; z,.5; u,.7", "x y z u", "a"),
    "a gap among shares": (
        "Accuracy,,; d,a,b; x,.9,.8; y,-,.6; z,.5,-; u,.5,.3",
        "x y z u",
        "a b",
    ),
    "a heading in the middle": ("d,a,b; x,.9,.8; ; large,,; y,.7,.6",),
    "a label of the second line": (
        "target,AUC,AUC; `model`,a,b; x,.9,.8; y,.7,.6",
        "x y",
        "a b",
    ),
    "dimensions of methods": ("Model,Embedding size,x,y; a,1024,.9,.7; b,768,.8,.6",),
    "a kind of models": ("Reranking-Model,x,y; a,.9,.7; b,.8,.6",),
    "shots and gaps": (
        "Model,u,v; ,3-shot@1,-; a,.9,.7; b,.8,.6",
        "u 3-shot@1|v -",
        "a b",
    ),
    "numbers in LaTeX": (
        r"d,a,b; x,\textbf{.9 $\pm$ .1},.8 $\pm$ .1; y,$\mathbf{.7} \pm \mathbf{.1}$,.6 $\pm$ .1",
    ),
    "speeds, lengths and costs of methods": (
        "model,Layers,Context length,Docs / Sec,RAM [GB],Train (s),GPU time,Cost,x,y"
        "; a,2,512,10,5,7.5,8.8,1,.9,.7; b,4,8192,20,2,9.5,9.9,2,.8,.6",
    ),
    "P among other letters": (
        "Method,A,C,P,S; a,.9,.8,.97,.79; b,.8,.7,.96,.76",
        "A C P S",
        "a b",
    ),
    "a name above some columns": (
        ",u,u,; Method,x,y,Avg.; a,.9,.7,.8; b,.8,.6,.7",
        "x y",
        "a b",
    ),
    "names above some columns": (
        ",u,u,v,v,; Method,x,y,x,y,Rank; a,.9,.7,.5,.4,1; b,.8,.6,.4,.3,2",
        "u x|u y|v x|v y",
        "a b",
    ),
    "errors of a metric": ("d,accuracy,accuracy_error; x,.9,.1; y,.7,.1", "x y", "accuracy"),
    "deviations by other names": (
        "d,a,a_std_dev,b,b_standard_deviation,c,c_stderr,e,e_std err"
        "; x,.9,.1,.8,.1,.7,.1,.6,.1; y,.7,.1,.6,.1,.5,.1,.4,.1",
        "x y",
        "a b c e",
    ),
    "Error as a metric": ("d,metric,a,b; x,Error,.9,.8; y,Error,.7,.6",),
    "data sets called like sums": (
        "d,a,b; Loss,.9,.8; Memory,.7,.6; CV,.6,.5; Mean Teacher,.5,.4; capital-gain,.3,.2",
        "Loss|Memory|CV|Mean Teacher|capital-gain",
        "a b",
    ),
    "times before the names": ("d,time (s) a,time (s) b,a,b; x,3,4,.9,.8; y,3,4,.7,.6",),
    "pictures in a column": ("d,a,b,curve; x,.9,.8,; y,.7,.6,",),
    "stars for bold": ("d,a,b; x,**.9**,.8; y,.7,**.6**",),
    "options of a csv-table": (".. csv-table:: T;    :widths: 20,6,6; ; d,a,b; x,.9,.8; y,.7,.6",),
    "seeds next to folds": (
        "task,framework,fold,seed,acc; x,a,0,7,.9; x,b,0,8,.8; y,a,0,7,.7; y,b,0,8,.6",
    ),
}
"""Tables, with `; ` between lines; rows and methods if they are not x and y, a and b."""


@pytest.mark.parametrize("kind", READ)
def test_roles_are_read_from_names_and_numbers(kind: str, tmp_path: Path) -> None:
    text, rows, methods = (*READ[kind], *("x y", "a b")[len(READ[kind]) - 1 :])
    table = read(tmp_path, text.replace("; ", "\n") + "\n")
    names = (table.scores.index, table.methods)
    assert [*names[0]] == rows.split("|" if "|" in rows else " ")
    assert [*names[1]] == methods.split("|" if "|" in methods else " ")
    if kind != "gaps":
        assert table.scores.iloc[0, 0] == 0.9


REFUSED = {
    "names with a metric": ("d,x,y; Accuracy ours,9,8; Accuracy theirs,7,6", "--rows methods"),
    "a metric of methods or data sets": ("Sampler,AUC; q,.9; r,.7", "--rows methods or --rows"),
    "a method called mean": (
        ",x,y; mean,.9,.8; GMT,.7,.6; a,.6,.5",
        "the row 'mean' is not the mean of the others: leave it out with --without 'mean', or st",
    ),
    "numbers of examples with points": (
        "d,Number of samples,a; x,1.372,.9; y,6.598,.8",
        "'Number of samples': it may not be a method",
    ),
    "error of corruptions": ("Method,mCE,Clean Error; a,65,22; b,63,23", "(mCE, error)"),
    "several metrics of each data set": (
        "model,x Acc,x AUC,y Acc,y AUC; a,.9,.8,.7,.6",
        "--metric",
    ),
    "a metric without a known name": (
        "d,a acc,a PICP,b acc,b PICP; x,.9,.8,.7,.6; y,.5,.4,.3,.2",
        "several metrics or statistics (accuracy, PICP): choose one with --metric",
    ),
    "names below headings": (
        "Model,acc; *x*,; a,.9; b,.7; *y*,; a,.8; b,.6",
        "t.csv:6: duplicate row 'a': give each method a name, or name data sets in a column",
    ),
    "deviations in a row of their own": (
        "d,a,b; x,.9,.8; ,(.1),(.1); y,.7,.6",
        "t.csv:3: the row has no name: repeat a name that extends over several rows; dev",
    ),
    "deviations of a name of their own": ("d,a,b; x,.9,.8; x sd,.1,.1", "t.csv:3: row 'x sd': dev"),
    "a fraction among percents": ("d,a,b; x,81.5,.844; y,76.8,77.1", "0.844 may be a fraction"),
    "a row of fractions": (
        "Accuracy,,; d,a,b; x,81.5,84.4; y,.768,.771; z,71.5,74.4",
        "the row 'y' may have fractions",
    ),
    "columns of well-known data sets": ("name,CoLA,MNLI; a,90,80; b,70,60", "--rows methods"),
    "names of rows as numbers": (
        "noise,a,b; 0,.9,.8; 0.1,.8,.7; 0.2,.9,.6; 0.3,.8,.5",
        "--without 'noise'",
    ),
    "training and test examples": ("d,AUC_train,AUC_test; x,.9,.8; y,.7,.6", "(test, train)"),
    "training and test examples of methods": (
        "Model,Train,Test; a,.9,.8; b,.7,.6",
        "(Train, Test)",
    ),
    "pairs": ("method,a,b; a,.9,.8; b,.7,.6", "called like its columns"),
    "headings of several metrics": (
        "d,a,b; ; Accuracy,Accuracy,Accuracy; x,.9,.8; Log loss,Log loss,Log loss; y,.7,.6",
        "several metrics (accuracy, log_loss)",
    ),
    "two rows of each name": (
        "d,a,b; x,.9,.8; x,.1,.2; y,.7,.6; y,.1,.1",
        "column of folds 'fold'",
    ),
    "settings of a run": ("model,data,k,acc" + "; a,x,1,.9; a,x,2,.8; a,x,3,.7", "--metric"),
    "runs without a number": ("model,data,acc" + 3 * "; a,x,.9; b,x,.8", "duplicate row 'x, a'"),
    "tables side by side": ("Dataset,a,Dataset,b; x,.9,y,.8; z,.7,w,.6", "side by side"),
    "recalls": ("model,R@1,R@5,Mean Rank; x,47,76,9.6; y,45,72,14", "(R@1, R@5)"),
    "two numbers in a place": (
        "| d | a |; | --- | --- |; | x | 92% / .9 AUC |; | y | 69% / .7 AUC |",
        "line 3: '92% / .9 AUC' is not a number",
    ),
    "lowest and highest": ("d,a min,a max,b min,b max; x,.1,.9,.2,.8; y,.2,.8,.3,.7", "statistics"),
    "p-values": ("d,a,b,p; x,.9,.8,.01; y,.7,.6,.02", "--without 'p'"),
    "percent in one column": ("d,a (%),b; x,90.1,.8; y,70.2,.6", "in percent"),
    "another meaning of brackets": ("Accuracy (time in s),,; d,a,b; x,.9 (.1),.8 (.2)", "±"),
    "uncertain digits": ("d,a,b; x,85.3(12),84.1(11); y,75.3(12),74.1(13)", "±"),
    "leaderboard": ("model,score_val,score_test; a,.9,.8; b,.7,.6", "--metric"),
    "one letter for sizes": ("d,a,n; x,3,10; y,4,20", "--without 'n'"),
    "a column on another scale": ("d,perc,a,b; x,14.6,.7,.8; y,9.6,.5,.9", "--without 'perc'"),
    "whole numbers among decimals": ("d,k,a,b; x,3,.7,.8; y,7,.5,.9", "--without 'k'"),
    "a column of means": ("d,a,b,Average; x,.7,.8,.75; y,.5,.9,.7", "--without 'Average'"),
    "a difference": ("d,a,b,Diff; x,.7,.8,.1; y,.5,.9,.4", "--without 'Diff'"),
    "several metrics": ("d,a_acc,a_f1,b_acc,b_f1; x,.9,.8,.7,.6", "--metric"),
    "metrics of methods": ("model,Accuracy,F1,AUC; a,.9,.8,.7; b,.6,.5,.4", "--metric"),
    "metrics in rows": ("score,a,b; Accuracy,.9,.8; F1,.7,.6", "one metric"),
    "metrics in a column": ("d,metric,a; x,acc,.9; x,auc,.8; y,acc,.7; y,auc,.6", "--metric"),
    "two columns of values": ("model,data,train_acc,test_acc; a,x,.9,.8; b,x,.7,.6", "--metric"),
    "rows that are methods": (",x,y; AdaBoost,.9,.8; Random Forest,.7,.6", "--rows methods"),
    "columns that are data sets": (",iris,wine,glass; q,.9,.8,.7; r,.6,.5,.4", "--rows methods"),
    "a long form without a name": ("p,q,v; a,x,.9; a,y,.8; b,x,.7; b,y,.6", "call them 'dataset'"),
    "train and test rows": (
        "d,split,a; x,train,.9; x,test,.8; y,train,.7; y,test,.6",
        "column 'split'",
    ),
    "noise levels": (
        "d,noise,a,b; x,0.0,.9,.8; x,0.1,.7,.6; y,0.0,.9,.8; y,0.1,.7,.6",
        "column 'noise'",
    ),
    "noise levels next to seeds": (
        "d,noise,seed,a,b" + "; x,0.0,1,.9,.8; x,0.0,2,.7,.6; x,0.1,3,.5,.4; x,0.1,4,.3,.2"
        "; y,0.0,1,.8,.7; y,0.0,2,.6,.5; y,0.1,3,.4,.3; y,0.1,4,.2,.1",
        "column 'noise'",
    ),
    "names in the middle of their columns": (
        "set,,A,,,B,; ,acc,f1,auc,acc,f1,auc; x,.9,.8,.7,.6,.5,.4; y,.9,.8,.7,.6,.5,.4",
        "above the first of its columns",
    ),
    "whole numbers that may be sizes": (
        "dataset,d,k,ours,theirs; x,4,3,90,85; y,8,2,80,75",
        "--without 'd'",
    ),
    "methods that differ in case": ("d,LogitBoost,logitboost; x,.9,.8; y,.7,.6", "--methods"),
    "one method in two cases": (
        "data,method,acc; x,LogitBoost,.9; x,b,.8; y,logitboost,.7; y,b,.6",
        "differ only in case",
    ),
    "encodings": ("d,code,a; x,p,.9; x,q,.8; y,p,.7; y,q,.6", "call the column 'fold'"),
    "one name twice": ("d,a; x,.9; x,.8; y,.7", "duplicate row 'x'"),
    "folds in words": ("data,fold,acc; x,one,.9; x,two,.8; y,one,.7; y,two,.6", "'fold'"),
    "folds in columns": ("d,fold1,fold2,fold3; x,.9,.8,.7; y,.6,.5,.4", "column 'fold'"),
    "a last row of means": (
        "d,a,b; x,.9,.8; y,.7,.4; z,.5,.3; All sets,.7,.5",
        "--without 'All sets'",
    ),
    "a last row of ranks": (
        "d,a,b,c; x,.9,.8,.7; y,.7,.4,.5; z,.5,.3,.1; AR,1,2.67,2.33",
        "'AR' may be mean ranks: leave it out with --without 'AR', or state --rows datasets",
    ),
    "a row of another scale": (
        "Accuracy,,; d,a,b; x,.9,.8; y,.7,.4; z,.5,.3; Gap,4.5,2.5; u,.6,.5",
        "'Gap' has another scale",
    ),
    "arrows of two directions": (
        "method,x ↑,y ↓; a,.9,.8; b,.7,.6",
        "↑ and ↓ show several metrics",
    ),
    "arrows in the rows": ("d,a,b; x (acc ↑),.9,.8; y (rmse ↓),.7,.6", "(x (acc ↑), y (rmse ↓))"),
    "no line of names": ("x,.9,.8; y,.7,.6", "line of names"),
    "a misprint in the first row": ("d,a,b; x,.95/.97,.8; y,.7,.6", "'.95/.97' is not a number"),
    "a misprint in a whole column": ("d,a,b; x,~.95,.8; y,95/100,.6", "is not a number"),
    "some percent signs": ("d,a,b; x,90,.8; y,70%,.6", "t.csv:3: some numbers have a percent sign"),
    "a thousand or a decimal": ("d;a;b; x;1,234;5,678", "may be a thousand or a decimal"),
    "scores in brackets": ("d,a,b; x,.90 (.95),.80 (.85); y,.70 (.75),.60 (.65)", "±"),
    "a short row": (
        "d,a,b; x,.9; y,.7,.6; z,.5,.4",
        "line 2 has 2 fields, other lines have 3: wri",
    ),
    "a column without a name": ("d,a,,b; x,.9,.8,.7; y,.6,.5,.4", "no name"),
    "metrics of images": ("Method,PSNR,SSIM,LPIPS; a,31,.94,.08; b,33,.96,.04", "--metric"),
    "metrics in brackets": ("m,x (acc),y (ppl),z (acc); a,.9,30,.8; b,.8,20,.7", "(accuracy, ppl)"),
    "a metric next to data sets": (
        "Method,mAP,bird,boat; a,70.1,76.5,79.0; b,72.4,75.5,80.2",
        "--without 'mAP', or read nothing else with --metric 'mAP'",
    ),
    "a metric next to methods": ("d,accuracy,ours; x,.9,.8; y,.7,.6", "--without 'accuracy'"),
    "whole numbers of methods": (
        "Model,Width,u,v; a,512,77.6,86.4; b,768,84.3,90.5",
        "--without 'Width', or write it with decimals",
    ),
    "a mean of another name": (
        "Model,Score,x,y,z; a,90.1,90.1,80.2,99.9; b,80.1,80.1,70.2,89.9; c,7.1,7.1,7.2,6.9",
        "'Score': it is the mean of the others",
    ),
    "methods below data sets": ("Dataset,iris,wine; SVM,.9,.8; q,.7,.6", "--rows methods"),
    "data sets below methods": ("Model,q,r; iris,.9,.8; wine,.7,.6; u,.5,.4", "--rows datasets"),
    "development and test examples": ("Model,Dev,Test; a,.9,.8; b,.7,.6", "(Dev, Test)"),
    "several metrics, one called error": (
        "d,metric,a,b; x,Error,.9,.8; y,Error,.7,.6; z,AUC,.9,.8",
        "choose one of Error, AUC",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_clear_is_refused_with_the_way_on(kind: str, tmp_path: Path) -> None:
    text, message = REFUSED[kind]
    with pytest.raises(DataError) as caught:
        read(tmp_path, text.replace("; ", "\n") + "\n")
    assert message in str(caught.value)


def test_a_column_p_with_numbers_above_1_has_no_p_values(tmp_path: Path) -> None:
    text = "Methods,A,P\na,90.1,97.2\nb,80.3,95.1\n"
    assert read(tmp_path, text).rows == ("A", "P")
    assert read(tmp_path, "Methods,A,P\na,90.1,.2\nb,80.3,.1\n").left_out == ("column P",)


def test_a_stated_column_of_sizes_is_no_method(tmp_path: Path) -> None:
    text = "data,num,a,b\nheart,81,.8,.7\npima,384,.7,.6\n"
    table = read(tmp_path, text, sizes="num")
    assert (table.methods, table.sizes) == (("a", "b"), {"num": {"heart": 81, "pima": 384}})
    with pytest.raises(DataError, match="another scale"):
        read(tmp_path, text, sizes="a")  # shares are no sizes


def test_the_options_decide(tmp_path: Path) -> None:
    sizes = "d,perc,a,b\nx,14.6,.7,.8\ny,9.6,.5,.9\n"
    for choices in ({"without": "perc"}, {"methods": ["a", "b"]}, {"methods": "a,b"}):
        assert read(tmp_path, sizes, **choices).methods == ("a", "b")
    turned = ",x,y\nAdaBoost,.9,.8\nRandom Forest,.7,.6\n"
    assert read(tmp_path, turned, rows="methods").methods == ("AdaBoost", "Random Forest")
    assert read(tmp_path, turned, rows="datasets").methods == ("x", "y")
    with pytest.raises(DataError, match="one metric"):
        read(tmp_path, "score,a,b\nAccuracy,.9,.8\nF1,.7,.6\n", rows="datasets")
    metrics = "d,a_acc,a_f1,b_acc,b_f1\nx,.9,.8,.7,.6\n"
    table = read(tmp_path, metrics, metric="f1")
    assert (table.methods, table.metric, [*table.scores.loc["x"]]) == (("a", "b"), "f1", [0.8, 0.6])
    metrics = "d,a err (%),a $R^2$,b err (%),b $R^2$\nx,9,.8,7,.6\n"
    table = read(tmp_path, metrics.replace("$", ""), metric="error")
    assert (table.methods, table.percent) == (("a", "b"), True)
    table = read(tmp_path, metrics, methods=["a err (%)", "b err (%)"])
    assert (table.methods, table.metric) == (("a err (%)", "b err (%)"), "error")
    turned = "model,x-1 top-1 err.,x-1 size (MB),y top-1 err.,y size (MB)\na,9,1,7,1\nb,5,2,3,2\n"
    assert read(tmp_path, turned, metric="error").rows == ("x-1", "y")
    turned = "model,x Acc,x AUC,y Acc,y AUC\na,.9,.8,.7,.6\nb,.5,.4,.3,.2\n"
    assert read(tmp_path, turned, metric="auc").scores["a"].to_dict() == {"x": 0.8, "y": 0.6}
    long = "d,metric,a\nx,acc,.9\nx,auc,.8\ny,acc,.7\ny,auc,.6\n"
    assert read(tmp_path, long, metric="auc").scores["a"].tolist() == [0.8, 0.6]
    values = "model,data,train_acc,test_acc\na,x,.9,.8\nb,x,.7,.6\n"
    assert read(tmp_path, values, metric="test_acc").scores.loc["x"].tolist() == [0.8, 0.6]
    long = "data,method,acc\nx,a,.9\nx,b,.8\nx,c,.7\ny,a,.7\ny,b,.6\ny,c,.5\n"
    assert read(tmp_path, long, without=["b"]).methods == ("a", "c")
    assert read(tmp_path, long, without=["y"]).rows == ("x",)
    with pytest.raises(DataError, match="unknown column or row 'pecr'; did you mean 'perc'"):
        read(tmp_path, sizes, without=["pecr"])
    comma = 'd,"a, b",c,k\nx,.9,.8,3\ny,.7,.6,4\n'
    assert read(tmp_path, comma, methods=["a, b", "c"]).methods == ("a, b", "c")


@pytest.mark.parametrize(
    ("text", "rows", "assumed"),
    [
        (",q,r\nu,.9,.8\nv,.7,.6\n", None, True),
        ("name,q,r\nu,.9,.8\nv,.7,.6\n", None, True),
        (",q,r\nu,.9,.8\nv,.7,.6\n", "datasets", False),
        ("dataset,q,r\nu,.9,.8\nv,.7,.6\n", None, False),
        (",AdaBoost,r\nu,.9,.8\nv,.7,.6\n", None, False),
    ],
)
def test_an_assumed_kind_of_rows_is_shown_with_its_option(
    text: str, rows: str | None, assumed: bool, tmp_path: Path
) -> None:
    table = read(tmp_path, text, rows=rows)
    assert table.assumed == assumed
    assert ("--rows methods" in table.sentence) == assumed


def test_everything_that_is_left_out_is_told(tmp_path: Path) -> None:
    text = (
        "Table 3: accuracy in percent,,,,\nd,n,a,b,Time (s)\n"
        "x,10,90 (1),80* (2),3\n\ny,20,70 (1),60 (2),4\nMean,,80,70,\nGain,,1,2,\n"
    )
    table = read(tmp_path, text)
    assert table.sizes == {"n": {"x": 10, "y": 20}}
    assert (table.lines["x"], table.lines["y"]) == (3, 5)
    assert table.sentence == (
        "Read as CSV: 2 data sets × 2 methods (a, b), accuracy in percent; summary rows: Mean; "
        "sizes: n; left out: column Time (s); row Gain; ranks in brackets; signs *; lines "
        "'Table 3: accuracy in percent'"
    )


@pytest.mark.parametrize(("metric", "percent"), [("error", True), ("accuracy", False)])
def test_errors_below_one_can_be_in_percent_as_their_title_says(
    metric: str, percent: bool, tmp_path: Path
) -> None:
    text = f"Table 2: test {metric} in percent,,\nd,a,b\nmnist,.83,.71\nusps,.95,.62\n"
    assert read(tmp_path, text).percent == percent


def test_losses_without_an_end_can_be_above_one_and_a_data_set_can_be_called_year(
    tmp_path: Path,
) -> None:
    text = "d,a,b,c\nx,.662,.51,.43\nyear,.97,1.02,.9\n"
    assert read(tmp_path, text, metric="log_loss").rows == ("x", "year")
    with pytest.raises(DataError, match=r"'b': 1\.02 has another scale"):
        read(tmp_path, text)


def test_rows_of_one_data_set_can_name_the_method_and_the_fold(tmp_path: Path) -> None:
    table = read(tmp_path, "seed,classifier,acc\n1,a,.9\n1,b,.8\n2,a,.7\n2,b,.6\n")
    assert table.folds.to_dict("list") == {"a": [0.9, 0.7], "b": [0.8, 0.6]}
    assert table.metric == "accuracy"


def test_the_mean_of_folds_is_missing_if_one_of_them_is(tmp_path: Path) -> None:
    scores = read(tmp_path, "d,fold,a,b\nx,1,.8,.5\nx,2,.6,-\ny,1,.4,.3\ny,2,.2,.1\n").scores
    assert scores["a"].tolist() == pytest.approx([0.7, 0.3])
    assert scores["b"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "number", "spread"),
    [
        ("0.95", "0.95", ""),
        ("94.85±0.76", "94.85", "0.76"),
        ("94.85 +/- 0.76", "94.85", "0.76"),
        ("0.5564+0.0000", "0.5564", "0.0000"),
        ("95.1% ± 0.2%", "95.1", "0.2"),
        ("•0.80", "0.80", ""),
        ("0.80†", "0.80", ""),
        ("~92.5", "92.5", ""),
        ("92.53 v", "92.53", ""),
        ("0.8 [0.7, 0.9]", "0.8", ""),
        ("0.95 (+0.01)", "0.95", ""),
        ("0.95 [3]", "0.95", ""),
        (".907±.003", ".907", ".003"),
        ("1e-3", "0.001", ""),
        ("−0.5", "-0.5", ""),
        ("1,234.5", "1234.5", ""),
    ],
)
def test_a_number_is_read_with_the_signs_around_it(text: str, number: str, spread: str) -> None:
    parsed = parse(Text(text))
    assert parsed is not None
    assert (float(parsed.text), parsed.spread.lstrip("0")) == (float(number), spread.lstrip("0"))


@pytest.mark.parametrize(
    "text", ["0.9x", "1_0", "0.9/0.8", "> 24h", "1.2M", "٣", "0.1.2", "1" * 30]
)
def test_other_texts_are_not_numbers(text: str) -> None:
    assert parse(Text(text)) is None


def test_the_usual_marks_are_gaps() -> None:
    for text in ("-", "–", "—", "--", "?", "NA", "N.A.", "nan+nan", "None", "OOM", "timeout"):
        assert parse(Text(text)) == parse(Text("")), text


def test_a_comma_is_one_thing_in_a_table() -> None:
    assert parse(Text("0,85"), comma_sign(["0,85", "1,2"])).text == "0.85"
    for texts in (["1,234"], ["0,5", "0.5"], ["1,2,3"]):
        with pytest.raises(ValueError, match="write"):
            comma_sign(texts)


MARKS = ("{}", "{}*", "{} †", "•{}", "{} ± 0.01", "{} (0.01)", "{}%")
GAPS = ("", "-", "N/A", "timeout")
NAMES = st.lists(
    st.sampled_from(["x", "German", "kr-vs-kp", "seeds", "set 3", "50words", "cpu", "Wins b"]),
    min_size=3,
    max_size=6,
    unique=True,
)
METHODS = st.lists(
    st.sampled_from(["ours", "A", "C4.5", "NODE", "1-NN", "time warp", "k", "SVM (RBF)"]),
    min_size=2,
    max_size=4,
    unique=True,
)
EXTRA = {
    "n": lambda i: str(10 + i),
    "# Features": lambda i: str(3 * i),
    "Time (s)": lambda i: f"{i / 7:.2f}",
    "fold": lambda i: "0",
    "Source": lambda i: f"web {i % 2}",
    "IR": lambda i: f"{1.5 + i:.1f}",
    "Average": lambda i: "0.5",
}
SUMMARIES = {
    "Average": "0.5",
    "Avg. rank": "1.50",
    "Wins": "1",
    "W/T/L": "1/1/1",
    "Time (s)": "9.1",
}


@given(
    names=NAMES,
    methods=METHODS,
    numbers=st.lists(st.integers(100, 989), min_size=24, max_size=24, unique=True),
    marks=st.lists(st.sampled_from(MARKS), min_size=24, max_size=24),
    gaps=st.dictionaries(st.integers(0, 23), st.sampled_from(GAPS), max_size=2),
    extra=st.lists(st.sampled_from([*EXTRA]), max_size=2, unique=True),
    summaries=st.lists(st.sampled_from([*SUMMARIES]), max_size=2, unique=True),
    corner=st.sampled_from(["dataset", "Data set", "", "name"]),
    turned=st.booleans(),
    separator=st.sampled_from([",", ";", "\t"]),
)
def test_a_table_is_right_or_refused(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    methods: list[str],
    numbers: list[int],
    marks: list[str],
    gaps: dict[int, str],
    extra: list[str],
    summaries: list[str],
    corner: str,
    turned: bool,
    separator: str,
) -> None:
    places = [(row, method) for row in names for method in methods]
    texts = {
        place: gaps.get(i, marks[i].format(f"0.{numbers[i]}")) for i, place in enumerate(places)
    }
    values = {place: "" if i in gaps else f"0.{numbers[i]}" for i, place in enumerate(places)}
    lines = [[corner, *extra, *methods]]
    for i, row in enumerate(names):
        lines.append([row, *(EXTRA[c](i) for c in extra), *(texts[row, m] for m in methods)])
    lines += [[s, *[""] * len(extra), *[SUMMARIES[s]] * len(methods)] for s in summaries]
    if turned:
        lines[0][0] = "method"
        lines = [[*line] for line in zip(*lines, strict=True)]
    folder = tmp_path_factory.mktemp("t")
    try:
        table = read(folder, "\n".join(separator.join(line) for line in lines) + "\n")
    except DataError:
        return
    assert [*table.datasets.values()] == names
    assert {*table.methods} == {*methods}
    for row, title in zip(names, table.rows, strict=True):
        for method in methods:
            assert table.numbers[title, method].text == values[row, method]


def test_a_data_frame_reads_like_its_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"dataset": ["x", "y"], "n": [10, 20], "a": [0.9, 0.8], "b": [0.7, None]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    one, other = read_table(frame), read_table(tmp_path / "t.csv")
    assert one.numbers == other.numbers
    assert one.sentence.split(":")[1:] == other.sentence.split(":")[1:]
    assert read_table(frame.set_index("dataset")).numbers == one.numbers


TITLES = {
    "Scores ± standard error of the mean": "",
    "Accuracy loss relative to the best": "",
    "Ranks of the methods by accuracy": "",
    "Values are 1 - AUC": "",
    "Training time at equal accuracy": "",
    "Comparison of AUC; ranks in brackets": "auc",
    "Loss of accuracy after pruning": "",
    "AUC loss": "",
    "Accuracy ranks": "",
    "Table 5. Number of features for the best accuracy": "",
    "p-values of the differences in accuracy": "",
    "Fairness versus accuracy": "",
    "Root-mean-squared error": "rmse",
    "Mean squared errors of the models": "mse",
    "Balanced accuracies": "balanced_accuracy",
    "MAPE of the methods": "mape",
    "Word errors": "",
    "Reconstruction error": "",
    "Error reduction over the baseline": "",
    "Accuracy drop": "",
    "Test errors": "error",
    "Test RMSE (mean ± std). Lower is better": "rmse",
    "Error (higher is better)": "",
    "Recall that this is the mean accuracy": "accuracy",
}


@pytest.mark.parametrize("title", TITLES)
def test_the_metric_of_a_title_is_what_the_numbers_are(title: str, tmp_path: Path) -> None:
    table = read(tmp_path, f"{title},,\nd,a,b\nx,.9,.8\ny,.7,.6\n")
    assert table.metric == TITLES[title]


DIRECTIONS = {
    "MAPE,,; d,a,b": False,
    "d,a ↑,b ↑": True,
    "d,a (↓),b (↓)": False,
    "F (higher is better),,; d,a,b": True,
    "Error (higher is better),,; d,a,b": True,
    "Accuracy and error,,; d,a,b": None,
    "Word error,,; d,a,b": None,
}


@pytest.mark.parametrize("names", DIRECTIONS)
def test_the_best_number_is_told_by_metric_arrows_or_title(names: str, tmp_path: Path) -> None:
    table = read(tmp_path, names.replace("; ", "\n") + "\nx,.9,.8\ny,.7,.6\n")
    assert table.greater_is_better is DIRECTIONS[names]


def test_a_metric_of_one_column_is_one_data_set(tmp_path: Path) -> None:
    table = read(tmp_path, "algorithm,accuracy,auc\na,.9,.8\nb,.7,.6\n", metric="accuracy")
    assert table.scores.to_dict("list") == {"a": [0.9], "b": [0.7]}


def test_a_row_that_sums_up_is_no_data_set_although_rows_are(tmp_path: Path) -> None:
    text = "d,a,b\nx,.9,.8\ny,.7,.6\nAvg. gain,1,2\nAverage,.8,.7\n"
    assert read(tmp_path, text, without=["Avg. gain"]).summaries == {"Average": "mean"}
    assert read(tmp_path, text, rows="datasets").rows == ("x", "y")


@pytest.mark.parametrize(
    ("text", "metric", "methods"),
    [
        ("d,SDR a,SIR a,SDR b,SIR b\nx,6,1,7,2\ny,5,1,7,3\n", "SDR", "a b"),
        ("d,accuracy,time_fit_seconds\nx,.9,12.5\ny,.8,1.5\n", "accuracy", "accuracy"),
        ("Method,sMAPE,\n,x,y\na,9,8\nb,7,6\n", "sMAPE", "a b"),
        ("Model,Metric,x,y\na,acc,9,8\na,auc,7,6\nb,acc,7,6\nb,auc,7,6\n", "acc", "a b"),
    ],
)
def test_a_metric_chooses_its_columns_or_rows(
    text: str, metric: str, methods: str, tmp_path: Path
) -> None:
    assert read(tmp_path, text, metric=metric).methods == tuple(methods.split())


def test_numbers_above_100_are_no_percents(tmp_path: Path) -> None:
    assert read(tmp_path, "d,a,b\nx,143.1,98.5\ny,8.2,.09\n").rows == ("x", "y")


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("t.md", "85.3<sup>1</sup>"),
        ("t.md", "85<sub>2</sub>"),
        ("t.html", "<span>85.3</span><span class=badge>2</span>"),
        ("t.html", "<div>85</div><div>2</div>"),
        ("t.tex", r"85.3\textsuperscript{2}"),
        ("t.tex", r"85.3\rank{3}"),
        ("t.tex", r"85.3\tnote{1}"),
    ],
)
def test_a_rank_next_to_a_number_is_not_one_of_its_digits(
    name: str, cell: str, tmp_path: Path
) -> None:
    forms = {
        "t.md": "| d | a | b |\n|--|--|--|\n| x | {} | 84.1 |\n| y | 70.1 | 60.2 |\n",
        "t.html": "<table><tr><th>d<th>a<th>b<tr><td>x<td>{}<td>84.1<tr><td>y<td>7.1<td>6</table>",
        "t.tex": r"\begin{{array}}{{lrr}}d & a & b \\ x & {} & 84.1 \\ y & 7.1 & 6\end{{array}}",
    }
    (tmp_path / name).write_text(forms[name].format(cell))
    with pytest.raises(DataError, match="is not a number"):
        read_table(tmp_path / name)
    (tmp_path / name).write_text(forms[name].format("85.3"))
    assert read_table(tmp_path / name).numbers["x", "a"].text == "85.3"
